#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "train/loop/text_units.h"
#include "train/report/page.h"
#include "train/report/sections.h"
#include "train/system/words.h"

namespace train {
namespace {

// The validation text: its units and its size.
struct Text {
  TextUnits units;
  double bytes;
};

std::optional<Text> text_of_run(const ReportedRun& run) {
  if (!run.corpus) return {};
  const TextUnits units = run.corpus->units();
  return Text{units,
              units.bytes_per_token * static_cast<double>(run.corpus->size(Split::validation))};
}

std::string size_text(double bytes) {
  return bytes < 100'000 ? count_text(std::lround(bytes)) + " bytes"
         : bytes < 1e7   ? fixed_text(bytes / 1e3, 1) + " kB"
                         : fixed_text(bytes / 1e6, 1) + " MB";
}

// What predicts the text, and its loss in nats per token; or the text as it is, at the loss of eight
// bits for each byte.
struct Row {
  std::string name;
  double loss;
  bool predicts = true;
  bool decodable = true;  // a coder could use its probabilities
};

std::vector<std::string> cells(const Row& row, const std::optional<Text>& text) {
  const std::string none = "–";
  std::vector<std::string> cells{row.predicts ? fixed_text(row.loss, 4) : none,
                                 row.predicts ? fixed_text(std::exp(row.loss), 2) : none};
  if (!text) return cells;
  const TextUnits& units = text->units;
  const double bits = units.bits_per_byte(row.loss);
  if (units.characters_per_token > 0)
    cells.push_back(fixed_text(units.bits_per_character(row.loss), 4));
  cells.push_back(fixed_text(bits, 4));
  cells.push_back(row.decodable ? size_text(bits * text->bytes / 8) : none);
  return cells;
}

// Of what the losses are that stand in the log.
std::string note_on_estimates(const ReportedRun& run) {
  return joined("\nIn the log and the charts the run's losses are of ",
                run.plan.eval_iters > 0
                    ? joined(counted(run.plan.eval_iters, "random batch", "random batches"),
                             " of the validation text")
                    : std::string("a part of the validation text"),
                run.kept.measured_on == 0
                    ? std::string("; so is the one here, the lowest of them.")
                    : joined("; here the model is measured on ", count_text(run.kept.measured_on),
                             " tokens of it."));
}

}  // namespace

std::string evaluation_card(const ReportedRun& run) {
  const std::optional<LogRow> best = run.best();
  if (!best) return {};
  const std::optional<Text> text = text_of_run(run);
  std::vector<std::string> columns{"predicted by", "nats per token", "perplexity"};
  if (text && text->units.characters_per_token > 0) columns.emplace_back("bits per character");
  if (text) columns.insert(columns.end(), {"bits per byte", "validation text, coded so"});
  std::vector<Row> rows{
      {joined("this model, step ", count_text(best->step)), run.kept.loss, true, run.plan.causal}};
  for (const double loss : run.info.ngrams.losses)
    rows.push_back({joined(rows.size(), "-gram of ", run.info.ngrams.symbol, "s"), loss});
  if (text)
    rows.push_back(
        {"the text as it is", 8 * std::numbers::ln2 * text->units.bytes_per_token, false});
  std::string html;
  for (const Row& row : rows)
    html += row_of_numbers(row.name, cells(row, text), html.empty() ? "us" : "");
  std::string explained =
      "Lower is better. Perplexity: the model is as unsure as if it had to choose\n"
      "among so many tokens.";
  if (text)
    explained +=
        "\nThe last column is arithmetic: an entropy coder that is given the probabilities\n"
        "writes the validation text in so many bytes; the model itself is not counted.";
  if (!run.plan.causal)
    explained +=
        "\nThis model sees the tokens that it is to predict (causal false): its loss is no loss\n"
        "of prediction, and no coder could use it.";
  if (run.corpus && estimates_loss(run.plan, *run.corpus)) explained += note_on_estimates(run);
  return scrolling_table("Losses beside those of others", columns, html) + note(explained);
}

}  // namespace train
