#include "train/report/attention.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/number.h"
#include "engine/ops.h"
#include "model/base/utf8.h"
#include "model/gpt/attention_weights.h"
#include "train/report/measures.h"
#include "train/report/page.h"
#include "train/report/sections.h"

namespace train {
namespace {

using engine::Tensor;

// Shades grow with the square root of the weight: a tenth is still well seen.
constexpr int shades = 15;
int shade_of(double weight) {
  return std::clamp(static_cast<int>(std::lround(shades * std::sqrt(weight))), 1, shades);
}
double opacity_of(int shade) { return static_cast<double>(shade) / shades; }
// A weight below a quarter of an even one, 1 / n, is not shown.
double least_shown(Index n) { return 0.25 / static_cast<double>(n); }

// .25 for 0.25: five digits, so that a row still sums to 1.
std::string short_weight(double weight) {
  std::string text = fixed_text(weight, 5);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text.size() > 1 && text.front() == '0' ? text.substr(1) : text;
}

bool is_letter(std::string_view label) {
  return model::first_code_point(label).size() == label.size();
}

// A map with its sizes. A cell is a unit of the SVG.
struct Grid {
  explicit Grid(const AttentionMap& map_) : map(map_), n(std::ssize(map_.tokens)) {}
  double weight(Index row, Index column) const {
    return static_cast<double>(engine::at(map.weights, row * n + column));
  }
  Index row_end(Index row) const { return map.causal ? row + 1 : n; }
  const std::string& token(Index i) const { return engine::at(map.tokens, i); }
  const AttentionMap& map;
  Index n;
};

// All weights, rows with semicolons between them.
std::string numbers(const Grid& grid) {
  std::string text;
  for (Index row = 0; row < grid.n; ++row)
    for (Index column = 0; column < grid.row_end(row); ++column) {
      if (row > 0 || column > 0) text += column == 0 ? ';' : ' ';
      text += short_weight(grid.weight(row, column));
    }
  return text;
}

// A path for each shade.
std::string cells(const Grid& grid) {
  std::array<std::string, shades + 1> paths;
  for (Index row = 0; row < grid.n; ++row)
    for (Index column = 0; column < grid.row_end(row); ++column)
      if (const double weight = grid.weight(row, column); weight >= least_shown(grid.n))
        paths[static_cast<std::size_t>(shade_of(weight))] +=
            joined("M", column, " ", row, "h1v1h-1z");
  std::string svg;
  for (std::size_t shade = 1; shade < paths.size(); ++shade)
    if (!paths[shade].empty())
      svg += element("path",
                     {{"fill-opacity", opacity_of(static_cast<int>(shade))}, {"d", paths[shade]}});
  return svg;
}

// The tokens beside the rows and above the columns, where words are turned; in a small map also the
// weights.
std::string labels(const Grid& grid) {
  std::string rows, columns, weights;
  for (Index i = 0; i < grid.n; ++i) {
    const std::string label = escaped(grid.token(i)), middle = joined(i, ".5");
    rows += element("text", {{"x", "-.3"}, {"y", middle}, {"dy", ".35em"}, {"text-anchor", "end"}},
                    label);
    const std::string turned = joined("translate(", middle, " -.3)rotate(-90)");
    columns +=
        is_letter(grid.token(i))
            ? element("text", {{"x", middle}, {"y", "-.3"}, {"text-anchor", "middle"}}, label)
            : element("text", {{"transform", turned}, {"dy", ".35em"}}, label);
    for (Index column = 0; grid.n <= 8 && column < grid.row_end(i); ++column) {
      const double weight = grid.weight(i, column);
      weights += element("text",
                         {{"class", weight > 0.4 ? "on" : "off"},
                          {"x", joined(column, ".5")},
                          {"y", middle},
                          {"dy", ".35em"},
                          {"text-anchor", "middle"}},
                         fixed_text(weight, 2));
    }
  }
  return rows + columns + weights;
}

// ", most from b to a: 0.82": the largest weight of a token on another.
std::string strongest(const Grid& grid) {
  Index from = 0, to = 0;
  for (Index row = 0; row < grid.n; ++row)
    for (Index column = 0; column < grid.row_end(row); ++column)
      if (row != column && (from == to || grid.weight(row, column) > grid.weight(from, to)))
        from = row, to = column;
  return joined(", most from ", grid.token(from), " to ", grid.token(to), ": ",
                fixed_text(grid.weight(from, to), 2));
}

// The room for labels: words may be long, letters are not.
double margin(const Grid& grid) {
  std::size_t longest = 1;
  for (const std::string& token : grid.map.tokens)
    if (!is_letter(token)) longest = std::max(longest, token.size());
  return 0.6 + 0.65 * static_cast<double>(std::min<std::size_t>(longest, 12));
}

}  // namespace

std::string html(const AttentionMap& map) {
  const Grid grid(map);
  const double begin = -margin(grid), size = margin(grid) + static_cast<double>(grid.n) + 0.1;
  const std::string svg =
      joined(path("frame", joined("M0 0H", grid.n, "V", grid.n, "H0z")),
             element("g", {{"class", "cells"}}, cells(grid)),
             element("g", {{"class", "labels"}}, labels(grid)), path("cursor", "M0 0h1v1h-1z"));
  const std::string plot =
      explorable("plot", map.title + ": the arrow keys read its weights",
                 picture(joined(begin, " ", begin, " ", size, " ", size),
                         joined("attention of ", map.title, strongest(grid)), svg));
  return element("figure",
                 {{"class", "attention"},
                  {"data-layer", map.layer},
                  {"data-head", map.head},
                  {"data-weights", numbers(grid)}},
                 element("figcaption", {}, escaped(map.title)) + plot);
}

Index tokens_on_maps(Index heads, bool causal) {
  constexpr Index most_bytes = 900'000, most_tokens = 40;
  // Of a map, of a token's two labels, of a cell that is drawn with its number, and of a small map's
  // cell with the weight in it.
  constexpr Index of_map = 730, of_token = 140, of_cell = 21, of_small_cell = 100;
  const auto bytes = [&](Index n) {
    const Index cells = causal ? n * (n + 1) / 2 : n * n;
    return of_map + n * of_token + cells * (n > 8 ? of_cell : of_small_cell);
  };
  Index n = most_tokens;
  while (n > 2 && heads * bytes(n) > most_bytes) --n;
  return n;
}

namespace {

// The weights of one head, (n, n).
std::span<const engine::real> head_of(const Tensor& weights, Index head) {
  const Index size = weights.shape()[1] * weights.shape()[2];
  return weights.values().subspan(engine::unsigned_size(head * size), engine::unsigned_size(size));
}

// What the colours of maps with n tokens mean: a line.
std::string map_scale(Index n) {
  std::string html = "Weight:";
  for (const double weight : {0.02, 0.05, 0.1, 0.25, 0.5, 1.0}) {
    const auto percent = static_cast<int>(std::lround(100 * opacity_of(shade_of(weight))));
    const std::string style = tint("shade", percent, "var(--panel)");
    html += joined(" ", element("span", {{"class", "swatch"}, {"style", style}}, ""), " ", weight);
  }
  html += joined(". Below ", fixed_text(least_shown(n), 3),
                 ", a quarter of an even share, a cell stays blank.");
  return element("p", {{"class", "scale"}}, html);
}

// The entropy of weights that are all the same, the mean over n tokens.
double even_entropy(Index n, bool causal) {
  double sum = 0;
  for (Index row = 0; row < n; ++row) sum += std::log(static_cast<double>(causal ? row + 1 : n));
  return sum / static_cast<double>(n);
}

}  // namespace

std::string attention_section(const ReportedRun& run, std::span<const std::int32_t> prompt) {
  if (prompt.size() < 2) return {};
  const model::Config& config = run.model.gpt.config;
  const std::vector<Tensor> weights = model::attention_weights(run.model.gpt, prompt);
  std::vector<std::string> tokens;
  for (const std::int32_t id : prompt) tokens.push_back(label_of(run.tokenizer().token_bytes(id)));
  const Index n = std::ssize(prompt);
  const std::string explained = joined(
      "A row of maps for each layer, a map for each head. In a map each row is a token that looks, "
      "each column a token that is looked at; the stronger the colour, the larger the weight with "
      "which it takes that token's value. Entropy in nats, the mean over the tokens: 0 if each "
      "looks at one token only, ",
      fixed_text(even_entropy(n, config.causal), 2),
      " if each looks at all alike. A click or the enter key enlarges a map. The prompt:");
  std::string html =
      element("p", {}, escaped(explained)) + quote(run.tokenizer().decode(prompt)) + map_scale(n);
  for (Index layer = 0; layer < std::ssize(weights); ++layer) {
    std::string maps;
    for (Index h = 0; h < config.n_head; ++h) {
      const std::span<const engine::real> head = head_of(engine::at(weights, layer), h);
      maps +=
          train::html(AttentionMap{joined("layer ", layer + 1, ", head ", h + 1, ", entropy ",
                                          fixed_text(mean_entropy(head, n), 2)),
                                   joined(layer + 1), joined(h + 1), head, tokens, config.causal});
    }
    html += element("div", {{"class", "maps"}, {"style", joined("--heads:", config.n_head)}}, maps);
  }
  return html;
}

}  // namespace train
