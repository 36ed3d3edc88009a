#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "engine/base/check.h"
#include "train/report/deflate_size.h"
#include "train/report/html.h"
#include "train/report/sections.h"
#include "train/run/text_units.h"

namespace train {
namespace {

using engine::fixed_text;
using engine::joined;

// The validation text: its units, its size, and what DEFLATE makes of it.
struct Text {
  TextUnits units;
  double bytes;
  double deflate_bits;
};

std::optional<Text> text_of_run(const Subject& run) {
  if (!run.corpus) return {};
  constexpr Index most = 1 << 22;  // tokens: DEFLATE's ratio does not depend on more
  const Index begin = run.corpus->begin(Split::validation),
              end = std::min(run.corpus->ids().size(), begin + most),
              before = std::max<Index>(0, begin - (1 << 15));
  const std::string known = text_of(*run.corpus, run.tokenizer(), before, begin),
                    text = text_of(*run.corpus, run.tokenizer(), begin, end);
  const TextUnits units = units_of(*run.corpus, run.tokenizer());
  const double bytes =
      units.bytes_per_token * static_cast<double>(run.corpus->size(Split::validation));
  return Text{units, bytes,
              deflate_bits(known + text, known.size()) * bytes / static_cast<double>(text.size())};
}

std::string size_text(double bytes) {
  return bytes < 10'000 ? engine::count_text(std::lround(bytes)) + " bytes"
         : bytes < 1e7  ? fixed_text(bytes / 1e3, 1) + " kB"
                        : fixed_text(bytes / 1e6, 1) + " MB";
}

// A row of bits for each character and byte, and of the size they come to.
std::string cells_of_bits(const Text& text, double bits_per_byte) {
  const TextUnits& units = text.units;
  const bool characters = units.characters_per_token > 0;
  return (characters ? number_cell(fixed_text(
                           bits_per_byte * units.bytes_per_token / units.characters_per_token, 4))
                     : "") +
         number_cell(fixed_text(bits_per_byte, 4)) +
         number_cell(size_text(bits_per_byte * text.bytes / 8));
}

std::string row_of_loss(const std::string& name, double loss, const std::optional<Text>& text,
                        bool us) {
  const double bits_per_byte = text ? loss / std::numbers::ln2 / text->units.bytes_per_token : 0;
  return joined("<tr", us ? " class=\"us\"" : "", "><th scope=\"row\">", name, "</th>",
                number_cell(fixed_text(loss, 4)), number_cell(fixed_text(std::exp(loss), 2)),
                text ? cells_of_bits(*text, bits_per_byte) : "", "</tr>\n");
}

std::string row_of_bits(const std::string& name, const Text& text, double bits) {
  return joined("<tr><th scope=\"row\">", name, "</th><td class=\"n\">–</td><td class=\"n\">–</td>",
                cells_of_bits(text, bits / text.bytes), "</tr>\n");
}

}  // namespace

std::string evaluation_card(const Subject& run) {
  const LogRow* const best = run.best();
  if (best == nullptr) return {};
  const std::optional<Text> text = text_of_run(run);
  std::vector<std::string> columns{"predicted by", "nats per token", "perplexity"};
  if (text && text->units.characters_per_token > 0) columns.emplace_back("bits per character");
  if (text) columns.insert(columns.end(), {"bits per byte", "validation text, coded so"});
  std::string rows = row_of_loss(joined("this model, step ", engine::count_text(best->step)),
                                 best->val_loss, text, true);
  const std::vector<double>& ngrams = run.facts.ngram_losses;
  for (std::size_t context = 0; context < ngrams.size(); ++context)
    rows += row_of_loss(joined(context + 1, "-gram"), ngrams[context], text, false);
  if (text) {
    rows += row_of_bits("DEFLATE, as in gzip", *text, text->deflate_bits);
    rows += row_of_bits("the text as it is", *text, 8 * text->bytes);
  }
  std::string html =
      scrolling_table("Losses beside those of others", columns, rows) +
      "<p class=\"note\">Lower is better. Perplexity: the model is as unsure as if it had "
      "to choose among so many tokens.";
  if (text)
    html +=
        "\nThe last column is arithmetic: an entropy coder that is given the probabilities of "
        "model or\n"
        "n-grams writes the validation text in so many bytes; the model itself is not counted.\n"
        "DEFLATE knows the 32 KB before the text.";
  if (run.plan.eval_iters > 0)
    html += joined("\nThe losses of the model are estimates from ", run.plan.eval_iters,
                   " random batches.");
  return html + "</p>\n";
}

}  // namespace train
