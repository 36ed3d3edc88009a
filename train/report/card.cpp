#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "engine/base/check.h"
#include "train/loop/evaluation.h"
#include "train/report/html.h"
#include "train/report/measures.h"
#include "train/report/sections.h"
#include "train/text/text_units.h"

namespace train {
namespace {

using engine::fixed_text;
using engine::joined;

// The validation text: its units and its size.
struct Text {
  TextUnits units;
  double bytes;
};

std::optional<Text> text_of_run(const Subject& run) {
  if (!run.corpus) return {};
  const TextUnits units = units_of(*run.corpus, run.tokenizer());
  return Text{units,
              units.bytes_per_token * static_cast<double>(run.corpus->size(Split::validation))};
}

std::string size_text(double bytes) {
  return bytes < 100'000 ? engine::count_text(std::lround(bytes)) + " bytes"
         : bytes < 1e7   ? fixed_text(bytes / 1e3, 1) + " kB"
                         : fixed_text(bytes / 1e6, 1) + " MB";
}

constexpr std::string_view nothing = "<td class=\"n\">–</td>";

// Bits for each character and byte, and the size they come to, unless no coder could use them.
std::string cells_of_bits(const Text& text, double bits_per_byte, bool decodable) {
  const TextUnits& units = text.units;
  const double bytes_per_character = units.bytes_per_token / units.characters_per_token;
  const bool characters = units.characters_per_token > 0;
  return (characters ? number_cell(fixed_text(bits_per_byte * bytes_per_character, 4)) : "") +
         number_cell(fixed_text(bits_per_byte, 4)) +
         (decodable ? number_cell(size_text(bits_per_byte * text.bytes / 8))
                    : std::string(nothing));
}

std::string row_of_loss(const std::string& name, double loss, const std::optional<Text>& text,
                        bool decodable = true) {
  const double bits_per_byte = text ? loss / std::numbers::ln2 / text->units.bytes_per_token : 0;
  return joined(R"(<th scope="row">)", name, "</th>", number_cell(fixed_text(loss, 4)),
                number_cell(fixed_text(std::exp(loss), 2)),
                text ? cells_of_bits(*text, bits_per_byte, decodable) : "", "</tr>\n");
}

std::string row_of_bits(const std::string& name, const Text& text, double bits) {
  return joined(R"(<tr><th scope="row">)", name, "</th>", nothing, nothing,
                cells_of_bits(text, bits / text.bytes, true), "</tr>\n");
}

// The loss of the model that the run keeps, for a run that only estimated it, from random batches:
// the lowest of many estimates is too low. On at most 200,000 tokens, spread over the validation
// text; with more than eleven million parameters on fewer, for 4e12 operations or so, but 20,000.
std::optional<WindowLoss> measured_loss(const Subject& run) {
  if (run.plan.eval_iters == 0 || !run.corpus) return {};
  const Index tokens = std::clamp<Index>((Index(1) << 41) / run.plan.parameter_count(), 20'000,
                                         max_evaluated_tokens);
  return window_loss(run.model.gpt, *run.corpus, Split::validation,
                     windows_at_once(run.model.gpt.config),
                     std::max<Index>(1, tokens / run.plan.block_size));
}

std::string note_on_estimates(Index eval_iters, const std::optional<WindowLoss>& measured) {
  const std::string batches =
      eval_iters == 1 ? "one random batch" : joined(eval_iters, " random batches");
  return joined("\nIn the log and the charts the run&#39;s losses are estimates from ", batches,
                "; ",
                !measured ? "so is the one here, the lowest of them."
                          : joined("here the model is measured on ",
                                   measured->windows == measured->all_windows
                                       ? ""
                                       : engine::count_text(measured->tokens) + " tokens of ",
                                   "the validation text."));
}

}  // namespace

std::string evaluation_card(const Subject& run) {
  const LogRow* const best = run.best();
  if (best == nullptr) return {};
  const std::optional<Text> text = text_of_run(run);
  std::vector<std::string> columns{"predicted by", "nats per token", "perplexity"};
  if (text && text->units.characters_per_token > 0) columns.emplace_back("bits per character");
  if (text) columns.insert(columns.end(), {"bits per byte", "validation text, coded so"});
  const std::optional<WindowLoss> measured = measured_loss(run);
  std::string rows = "<tr class=\"us\">" +
                     row_of_loss(joined("this model, step ", engine::count_text(best->step)),
                                 measured ? measured->loss : best->val_loss, text, run.plan.causal);
  const std::vector<double>& ngrams = run.facts.ngram_losses;
  for (std::size_t context = 0; context < ngrams.size(); ++context)
    rows += "<tr>" + row_of_loss(joined(context + 1, "-gram"), ngrams[context], text);
  if (text) rows += row_of_bits("the text as it is", *text, 8 * text->bytes);
  std::string note =
      "Lower is better. Perplexity: the model is as unsure as if it had to choose\n"
      "among so many tokens.";
  if (text)
    note +=
        "\nThe last column is arithmetic: an entropy coder that is given the probabilities\n"
        "writes the validation text in so many bytes; the model itself is not counted.";
  if (!run.plan.causal)
    note +=
        "\nThis model sees the tokens that it is to predict (causal false): its loss is no loss\n"
        "of prediction, and no coder could use it.";
  if (run.plan.eval_iters > 0) note += note_on_estimates(run.plan.eval_iters, measured);
  return scrolling_table("Losses beside those of others", columns, rows) + "<p class=\"note\">" +
         note + "</p>\n";
}

}  // namespace train
