#include "train/report/sections.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "train/report/chart.h"
#include "train/report/measures.h"
#include "train/text/text_units.h"

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
std::optional<double> training_loss(const LogRow& row) { return row.train_loss; }

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

// The mean of each point and those around it, a fiftieth of all in width.
Series smoothed(const Series& points) {
  Series line = points;
  const Index n = std::ssize(points.points), reach = n / 100;
  double sum = 0;
  for (Index i = 0, begin = 0, end = 0; i < n; ++i) {
    const Index to = std::min(n, i + reach + 1), from = std::max<Index>(0, i - reach);
    for (; end < to; ++end) sum += engine::at(points.points, end).y;
    for (; begin < from; ++begin) sum -= engine::at(points.points, begin).y;
    engine::at(line.points, i).y = sum / static_cast<double>(end - begin);
  }
  return line;
}

// The highest value from a twentieth of the steps on: before, losses fall from that of chance.
double highest_after_the_start(const Chart& chart) {
  double last = 0, most = 0;
  for (const Series& series : chart.series)
    if (!series.points.empty()) last = std::max(last, series.points.back().x);
  for (const Series& series : chart.series)
    for (const Point& point : series.points)
      if (point.x >= last / 20) most = std::max(most, point.y);
  return most;
}

}  // namespace

std::string loss_chart(const Subject& run) {
  const std::span<const Subject> one(&run, 1);
  Chart chart{.id = "loss",
              .title = "Loss in training and validation",
              .x_name = "step",
              .y_name = nats,
              .whole_x = true,
              .wide = true};
  chart = with_runs(chart, one, "each update", [](const LogRow& row) { return row.loss; });
  Series& updates = chart.series[0];
  updates.hue = training_hue;
  updates.faint = true;
  Series training = smoothed(updates);
  training.name = "training";
  training.faint = false;
  // A run begun before 2026-12 recorded evaluations only.
  if (updates.points.empty())
    training.points = with_runs({}, one, {}, training_loss).series[0].points;
  chart.series.push_back(training);
  chart.series.push_back(with_runs({}, one, "validation", validation_loss).series[0]);
  chart.highest = highest_after_the_start(chart);
  const Ngrams& ngrams = run.facts.ngrams;
  for (std::size_t context = 0; context < ngrams.losses.size(); ++context)
    if (ngrams.losses[context] <= *chart.highest)
      chart.levels.push_back({joined(context + 1, "-gram"), ngrams.losses[context]});
  // The best first: where there is no room for all names, it has its own.
  std::ranges::sort(chart.levels, {}, &Level::y);
  chart.note = "The losses of the first steps may lie above the picture.";
  if (ngrams.counted())
    chart.note += joined(" Dotted: what counting reaches on the same text, n-grams of so many ",
                         ngrams.symbol, "s.");
  return html(chart);
}

std::string losses_chart(std::span<const Subject> runs) {
  Chart chart{.id = "loss",
              .title = "Validation loss, training loss dashed",
              .x_name = "step",
              .y_name = nats,
              .whole_x = true,
              .wide = true};
  chart = with_runs(chart, runs, {}, validation_loss);
  for (Series& line : with_runs({}, runs, {}, training_loss).series) {
    line.name += ", training";
    line.dashed = true;
    chart.series.push_back(line);
  }
  // Tokens that differ have losses that cannot be compared.
  const auto tokens_of = [](const Subject& run) { return run.tokenizer().save(); };
  const bool same = std::ranges::all_of(
      runs, [&](const Subject& run) { return tokens_of(run) == tokens_of(runs[0]); });
  const bool known =
      std::ranges::all_of(runs, [](const Subject& run) { return run.corpus.has_value(); });
  if (!same && known) {
    chart.y_name = "loss (bits per byte)";
    for (Index i = 0; i < std::ssize(chart.series); ++i) {
      const Subject& run = engine::at(runs, i % std::ssize(runs));
      const TextUnits units = units_of(*run.corpus, run.tokenizer());
      for (Point& point : engine::at(chart.series, i).points)
        point.y = units.bits_per_byte(point.y);
    }
  }
  chart.highest = highest_after_the_start(chart);
  chart.note = "The losses of the first steps may lie above the picture.";
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
  return html(
      with_runs(chart, runs, "learning rate", [](const LogRow& row) { return row.learning_rate; }));
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
  chart =
      with_runs(chart, runs, "gradient norm", [](const LogRow& row) { return row.gradient_norm; });
  chart.highest = highest_after_the_start(chart);
  return html(chart);
}

std::string speed_chart(const Subject& run) {
  Series line{.name = "tokens per second", .hue = validation_hue};
  const auto tokens = static_cast<double>(run.plan.sequences_per_update() * run.plan.block_size);
  // Of each of some stretches the median: a row after an evaluation has its time too.
  const Index rows = std::ssize(run.times) - 1, stretches = std::min<Index>(rows, 60);
  for (Index i = 0; i < stretches; ++i) {
    std::vector<double> speeds;
    for (Index row = i * rows / stretches; row < (i + 1) * rows / stretches; ++row) {
      const TimeRow &a = engine::at(run.times, row), &b = engine::at(run.times, row + 1);
      if (b.seconds > a.seconds && b.step > a.step)
        speeds.push_back(tokens * static_cast<double>(b.step - a.step) / (b.seconds - a.seconds));
    }
    if (speeds.empty()) continue;
    const auto middle = speeds.begin() + std::ssize(speeds) / 2;
    std::ranges::nth_element(speeds, middle);
    const Index step = engine::at(run.times, (i + 1) * rows / stretches).step;
    line.points.push_back({static_cast<double>(step), std::round(*middle)});
  }
  return html({.id = "speed",
               .title = "Tokens per second",
               .x_name = "step",
               .y_name = "tokens per second",
               .series = {line},
               .whole_x = true,
               .from_zero = true});
}

std::string updates_chart(const Subject& run) {
  Chart chart{.id = "updates",
              .title = "Size of the updates, layer by layer",
              .x_name = "step",
              .y_name = "norm of the update / norm of the weights",
              .log_y = true,
              .whole_x = true,
              .note =
                  "h.0.attn is the attention of the first block, layer 1 of the maps, with its "
                  "norm; h.0.mlp is its feed-forward part."};
  std::map<std::string, std::size_t> places;
  for (const LayerRow& row : run.layers) {
    const auto [place, is_new] = places.emplace(row.layer, chart.series.size());
    if (is_new) chart.series.push_back({.name = row.layer, .dashed = row.layer.ends_with(".mlp")});
    if (row.update_ratio > 0)
      chart.series[place->second].points.push_back(
          {static_cast<double>(row.step), row.update_ratio});
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    chart.series[i].hue = static_cast<int>(300 * i / chart.series.size());
  return html(chart);
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
