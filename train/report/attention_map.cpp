#include "train/report/attention_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/number.h"
#include "engine/base/text.h"

namespace train {
namespace {

using engine::joined;

// Weights are shown in 15 shades, and below 1/30 not at all. Shades grow with the square root: a
// tenth of the weight is still well seen.
constexpr int shades = 15;
int shade_of(double weight) {
  return weight < 1.0 / 30
             ? 0
             : std::clamp(static_cast<int>(std::lround(shades * std::sqrt(weight))), 1, shades);
}

// .25 for 0.25: five digits, so that a row still sums to 1.
std::string short_weight(double weight) {
  std::string text = engine::fixed_text(weight, 5);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text.size() > 1 && text.front() == '0' ? text.substr(1) : text;
}

}  // namespace

std::string html(const AttentionMap& map) {
  const Index n = std::ssize(map.tokens);
  const auto weight = [&](Index row, Index column) {
    return static_cast<double>(engine::at(map.weights, row * n + column));
  };
  const auto row_end = [&](Index row) { return map.causal ? row + 1 : n; };
  std::array<std::string, shades + 1> paths;
  std::string numbers, values;
  Index from = 0, to = 0;  // the largest weight, not of a token to itself
  for (Index row = 0; row < n; ++row) {
    if (row > 0) numbers += ';';
    for (Index column = 0; column < row_end(row); ++column) {
      const double w = weight(row, column);
      const int shade = shade_of(w);
      if (shade > 0)
        paths[static_cast<std::size_t>(shade)] += joined("M", column, " ", row, "h1v1h-1z");
      numbers += (column > 0 ? " " : "") + short_weight(w);
      if (row != column && (from == to || w > weight(from, to))) from = row, to = column;
      if (n <= 8)
        values += joined("<text class=\"", w > 0.4 ? "on" : "off", "\" x=\"", column, ".5\" y=\"",
                         row, ".5\" dy=\".35em\" text-anchor=\"middle\">", engine::fixed_text(w, 2),
                         "</text>");
    }
  }
  std::string cells, labels;
  for (int shade = 1; shade <= shades; ++shade)
    if (const std::string& path = paths[static_cast<std::size_t>(shade)]; !path.empty())
      cells += joined("<path fill-opacity=\"", engine::short_text(shade / double(shades)),
                      "\" d=\"", path, "\"/>");
  std::string rows, columns;
  for (Index i = 0; i < n; ++i) {
    const std::string& token = engine::at(map.tokens, i);
    rows += joined("<text x=\"-.3\" y=\"", i, ".5\" dy=\".35em\" text-anchor=\"end\">", token,
                   "</text>");
    columns += joined("<text transform=\"translate(", i, ".5 -.3)rotate(-90)\" dy=\".35em\">",
                      token, "</text>");
  }
  // Room for the longest label: words may be long, letters are not.
  std::size_t longest = 1;
  for (const std::string& token : map.tokens)
    longest = std::max(longest, std::min<std::size_t>(token.size(), 12));
  const double margin = 0.6 + 0.5 * static_cast<double>(longest);
  const std::string strongest =
      n < 2 ? ""
            : joined(", most from ", engine::at(map.tokens, from), " to ",
                     engine::at(map.tokens, to), ": ", engine::fixed_text(weight(from, to), 2));
  return joined("<figure class=\"attention\" data-layer=\"", map.layer, "\" data-head=\"", map.head,
                "\" data-weights=\"", numbers, "\">\n<figcaption>", map.title,
                "</figcaption>\n<div class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"",
                map.title, ": the arrow keys read its weights\">\n<svg viewBox=\"",
                engine::short_text(-margin), " ", engine::short_text(-margin), " ",
                engine::short_text(margin + static_cast<double>(n) + 0.1), " ",
                engine::short_text(margin + static_cast<double>(n) + 0.1),
                "\" role=\"img\" aria-label=\"attention of ", map.title, strongest,
                "\">\n<path class=\"frame\" d=\"M0 0H", n, "V", n, "H0z\"/>\n<g class=\"cells\">",
                cells, "</g>\n<g class=\"labels\">", rows, columns, values,
                "</g>\n<path class=\"cursor\" d=\"M0 0h1v1h-1z\"/>\n</svg>\n</div>\n<output "
                "class=\"value\" aria-live=\"polite\"></output>\n</figure>\n");
}

Index tokens_on_maps(Index heads, bool causal) {
  constexpr Index most_cells = 60'000, most_tokens = 40;  // a cell takes some 20 bytes
  Index n = most_tokens;
  while (n > 2 && heads * (causal ? n * (n + 1) / 2 : n * n) > most_cells) --n;
  return n;
}

}  // namespace train
