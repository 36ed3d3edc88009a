#include "train/report/sections.h"

#include <algorithm>
#include <map>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "train/report/chart.h"
#include "train/report/measures.h"

namespace train {
namespace {

using engine::joined;

// Tokens that the loss at each position is measured on: a second or two for ten million weights,
// fewer for more.
Index position_tokens(const Subject& run) {
  return std::min<Index>(40'000, (Index(1) << 40) / run.plan.parameter_count());
}

constexpr int training_hue = 28, validation_hue = 212;
int hue_of(Index run) { return static_cast<int>(validation_hue + 137 * run) % 360; }

const std::string nats = "loss (nats per token)";

// Of a row of the log: its place, if that is known, and its value, if it has one.
using Place = std::optional<double> (*)(const Subject& run, const LogRow& row);
using Value = std::optional<double> (*)(const LogRow& row);

std::optional<double> step(const Subject&, const LogRow& row) {
  return static_cast<double>(row.step);
}
std::optional<double> validation_loss(const LogRow& row) { return row.val_loss; }

// The chart with a line for each run, called by the run, or so if there is only one.
Chart with_runs(Chart chart, std::span<const Subject> runs, const std::string& name, Value value,
                Place place = step) {
  for (Index i = 0; i < std::ssize(runs); ++i) {
    const Subject& run = engine::at(runs, i);
    Series line{.name = runs.size() == 1 ? name : run.name, .hue = hue_of(i)};
    for (const LogRow& row : run.log) {
      const std::optional<double> x = place(run, row), y = value(row);
      if (x && y) line.points.push_back({*x, *y});
    }
    chart.series.push_back(line);
  }
  return chart;
}

// A line for each layer, where value(row) is there and above 0.
std::string layers_chart(const Subject& run, const std::string& id, const std::string& title,
                         std::optional<double> (*value)(const LayerRow& row)) {
  Chart chart{.id = id,
              .title = title,
              .x_name = "step",
              .y_name = "norm",
              .log_y = true,
              .whole_x = true,
              .note =
                  "h.0.attn is the attention of the first block, layer 1 of the maps, with its "
                  "norm; h.0.mlp is its feed-forward part."};
  std::map<std::string, std::size_t> places;
  for (const LayerRow& row : run.layers) {
    const auto [place, is_new] = places.emplace(row.layer, chart.series.size());
    if (is_new) chart.series.push_back({.name = row.layer, .dashed = row.layer.ends_with(".mlp")});
    const std::optional<double> y = value(row);
    if (y && *y > 0)
      chart.series[place->second].points.push_back({static_cast<double>(row.step), *y});
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    chart.series[i].hue = static_cast<int>(300 * i / chart.series.size());
  return html(chart);
}

}  // namespace

std::string loss_chart(std::span<const Subject> runs) {
  const bool one = runs.size() == 1;
  Chart chart{
      .id = "loss",
      .title = one ? "Loss in training and validation" : "Validation loss, training loss dashed",
      .x_name = "step",
      .y_name = nats,
      .whole_x = true};
  chart = with_runs(chart, runs, "validation", validation_loss);
  Chart training = with_runs({}, runs, "training",
                             [](const LogRow& row) { return std::optional(row.train_loss); });
  for (Series& line : training.series) {
    if (one)
      line.hue = training_hue;
    else
      line.name += ", training";
    line.dashed = !one;
    chart.series.push_back(line);
  }
  if (!one) return html(chart);
  const std::vector<double>& losses = runs[0].facts.ngrams.losses;
  // Those above the whole curve would only squash it.
  double highest = 0;
  for (const LogRow& row : runs[0].log) highest = std::max({highest, row.train_loss, row.val_loss});
  for (std::size_t context = 0; context < losses.size(); ++context)
    if (losses[context] <= 1.1 * highest)
      chart.levels.push_back({joined(context + 1, "-gram"), losses[context]});
  // The best first: where there is no room for all names, it has its own.
  std::ranges::sort(chart.levels, {}, &Level::y);
  if (!losses.empty())
    chart.note = joined("Dotted: what counting reaches on the same text, n-grams of so many ",
                        runs[0].facts.ngrams.symbol, "s.");
  return html(chart);
}

std::string loss_by_time_chart(std::span<const Subject> runs) {
  const Chart chart{.id = "loss-by-time",
                    .title = "Validation loss over time",
                    .x_name = "seconds of training, evaluations included",
                    .y_name = nats};
  const Place seconds = [](const Subject& run, const LogRow& row) {
    const auto time = std::ranges::lower_bound(run.times, row.step, {}, &TimeRow::step);
    const bool known = time != run.times.end() && time->step == row.step;
    return known ? std::optional(time->seconds) : std::nullopt;
  };
  return html(with_runs(chart, runs, "validation", validation_loss, seconds));
}

std::string loss_by_tokens_chart(std::span<const Subject> runs) {
  const Chart chart{.id = "loss-by-tokens",
                    .title = "Validation loss over tokens",
                    .x_name = "tokens read",
                    .y_name = nats,
                    .whole_x = true};
  const Place tokens = [](const Subject& run, const LogRow& row) {
    const Index each = run.plan.sequences_per_update() * run.plan.block_size;
    return std::optional(static_cast<double>(row.step) * static_cast<double>(each));
  };
  return html(with_runs(chart, runs, "validation", validation_loss, tokens));
}

std::string learning_rate_chart(std::span<const Subject> runs) {
  const Chart chart{.id = "learning-rate",
                    .title = "Learning rate",
                    .x_name = "step",
                    .y_name = "learning rate",
                    .whole_x = true,
                    .from_zero = true};
  return html(with_runs(chart, runs, "learning rate",
                        [](const LogRow& row) { return std::optional(row.learning_rate); }));
}

std::string gradient_chart(std::span<const Subject> runs) {
  Chart chart{.id = "gradient-norm",
              .title = "Norm of the gradient before clipping",
              .x_name = "step",
              .y_name = "norm",
              .whole_x = true,
              .from_zero = true};
  if (runs.size() == 1 && runs[0].plan.grad_clip > 0)
    chart.levels = {{"clipped to", runs[0].plan.grad_clip}};
  return html(
      with_runs(chart, runs, "gradient norm", [](const LogRow& row) { return row.gradient_norm; }));
}

std::string weight_norms_chart(const Subject& run) {
  return layers_chart(run, "weight-norms", "Norm of each layer's weights",
                      [](const LayerRow& row) { return std::optional(row.weight_norm); });
}

std::string gradient_norms_chart(const Subject& run) {
  return layers_chart(run, "gradient-norms", "Norm of each layer's gradient",
                      [](const LayerRow& row) { return row.gradient_norm; });
}

std::string position_chart(const Subject& run) {
  if (!run.corpus) return {};
  Series model{.name = "this model", .hue = validation_hue},
      ngrams{.name = "n-grams", .hue = training_hue, .dashed = true};
  for (const PositionLoss& mean : position_losses(run.model.gpt, *run.corpus, position_tokens(run)))
    model.points.push_back({static_cast<double>(mean.first + mean.last) / 2, mean.loss});
  const Ngrams& counted = run.facts.ngrams;
  const std::vector<double>& losses = counted.losses;
  const std::string_view kind = run.tokenizer().kind();
  // Of as many tokens as symbols.
  if (counted.symbol == "token" || (counted.symbol == "character" && kind == "char") ||
      (counted.symbol == "byte" && kind == "byte"))
    for (std::size_t context = 1; context < losses.size(); ++context)
      ngrams.points.push_back({static_cast<double>(context), losses[context]});
  return html(
      {.id = "position-loss",
       .title = "Loss by the length of the context",
       .x_name = "tokens of context",
       .y_name = nats,
       .series = {model, ngrams},
       .log_x = true,
       .note = "A line that still falls at its right end says that a longer block_size may help."});
}

}  // namespace train
