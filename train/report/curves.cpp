#include "train/report/sections.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "train/loop/text_units.h"
#include "train/report/chart.h"
#include "train/report/measures.h"
#include "train/run/verdict.h"
#include "train/system/words.h"

namespace train {
namespace {

// Tokens that the loss by position is measured on, for each length of windows: a second or two for a
// million weights, fewer for more.
Index position_tokens(const ReportedRun& run) {
  return std::min<Index>(30'000, (Index(1) << 37) / run.plan.parameter_count());
}

constexpr int training_hue = 28, validation_hue = 212;
int hue_of(Index run) { return static_cast<int>(validation_hue + 137 * run) % 360; }

constexpr const char* nats = "loss (nats per token)";

// Of a row of the log: its place, if that is known, and its value, if it has one.
using Place = std::optional<double> (*)(const ReportedRun& run, const LogRow& row);
using Value = std::optional<double> (*)(const LogRow& row);

std::optional<double> step(const ReportedRun&, const LogRow& row) {
  return static_cast<double>(row.step);
}
std::optional<double> validation_loss(const LogRow& row) { return row.val_loss; }
std::optional<double> training_loss(const LogRow& row) { return row.train_loss; }

// The chart with a line for each run, called by the run, or so if there is only one. per_byte: in bits
// per byte, by which different tokens can be compared; a run without its text has none.
Chart with_runs(Chart chart, std::span<const ReportedRun> runs, const std::string& name,
                Value value, Place place = step, bool per_byte = false) {
  for (Index i = 0; i < std::ssize(runs); ++i) {
    const ReportedRun& run = engine::at(runs, i);
    Series line{.name = runs.size() == 1 ? name : run.name, .hue = hue_of(i)};
    TextUnits units;
    if (per_byte && run.corpus) units = run.corpus->units();
    for (const LogRow& row : run.log) {
      const std::optional<double> x = place(run, row), y = value(row);
      if (x && y && (run.corpus || !per_byte))
        line.points.push_back({*x, per_byte ? units.bits_per_byte(*y) : *y});
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

// How far the losses of training and validation are apart at the end, and whether that is overfitting:
// as the verdict says it, only if the validation loss has risen by a hundredth.
std::string gap(const ReportedRun& run) {
  const std::optional<LogRow> best = run.best();
  if (!best || best->step == 0) return {};
  const LogRow last = evaluations(run.log).back();
  const double val = *last.val_loss, risen = val - *best->val_loss;
  const bool clearly = risen > 0.01 * *best->val_loss, over = clearly && overfits(*best, last);
  return joined(" At step ", count_text(last.step), " they are ",
                fixed_text(std::abs(val - *last.train_loss), 4), " apart, training at ",
                fixed_text(*last.train_loss, 4), ", validation at ", fixed_text(val, 4),
                risen > 0 ? joined(", ", fixed_text(risen, 4), " above") : ",", " its lowest",
                over        ? ": the run overfits."
                : clearly   ? ", and so has the training loss risen: that is not overfitting."
                : risen > 0 ? ": too little to call it overfitting."
                            : " so far: the run is not past its best.");
}

}  // namespace

std::string loss_chart(const ReportedRun& run) {
  const std::span<const ReportedRun> one(&run, 1);
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
  chart.series.push_back(training);
  chart.series.push_back(with_runs({}, one, "validation", validation_loss).series[0]);
  chart.highest = highest_after_the_start(chart);
  chart.note = "The losses of the first steps may lie above the picture." + gap(run);
  if (const Ngrams& ngrams = run.info.ngrams; ngrams.counted()) {
    const std::string best = joined(ngrams.best_length(), "-gram");
    if (ngrams.best_loss() <= *chart.highest) chart.levels = {{best, ngrams.best_loss()}};
    chart.note += joined(" Dotted: the best that counting reaches on the same text, a ", best,
                         " of ", ngrams.symbol, "s.");
  }
  return html(chart);
}

std::string losses_charts(std::span<const ReportedRun> runs, bool per_byte) {
  const Place seconds = [](const ReportedRun& run, const LogRow& row) {
    const auto time = std::ranges::lower_bound(run.times, row.step, {}, &TimeRow::step);
    const bool known = time != run.times.end() && time->step == row.step;
    return known ? std::optional(time->seconds) : std::nullopt;
  };
  const Place tokens = [](const ReportedRun& run, const LogRow& row) {
    const Index each = run.plan.sequences_per_update() * run.plan.block_size;
    return std::optional(static_cast<double>(row.step) * static_cast<double>(each));
  };
  const auto drawn = [&](Chart chart, Place place) {
    chart.y_name = per_byte ? "loss (bits per byte)" : nats;
    chart.note = "The losses of the first steps may lie above the picture.";
    chart = with_runs(chart, runs, "validation", validation_loss, place, per_byte);
    if (chart.wide)
      for (Series& line : with_runs({}, runs, "", training_loss, place, per_byte).series) {
        line.name += ", training";
        line.dashed = true;
        chart.series.push_back(line);
      }
    chart.highest = highest_after_the_start(chart);
    return html(chart);
  };
  Chart by_step{.id = "loss", .title = "Validation loss, training loss dashed", .x_name = "step"};
  by_step.whole_x = by_step.wide = true;
  const Chart by_time{.id = "loss-by-time",
                      .title = "Validation loss over time",
                      .x_name = "seconds of training, evaluations included"};
  const Chart by_tokens{.id = "loss-by-tokens",
                        .title = "Validation loss over tokens",
                        .x_name = "tokens read",
                        .whole_x = true};
  return drawn(by_step, step) + drawn(by_time, seconds) + drawn(by_tokens, tokens);
}

std::string learning_rate_chart(std::span<const ReportedRun> runs) {
  const Chart chart{.id = "learning-rate",
                    .title = "Learning rate",
                    .x_name = "step",
                    .y_name = "learning rate",
                    .whole_x = true,
                    .from_zero = true};
  return html(
      with_runs(chart, runs, "learning rate", [](const LogRow& row) { return row.learning_rate; }));
}

std::string gradient_chart(std::span<const ReportedRun> runs) {
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

std::string speed_chart(const ReportedRun& run) {
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

std::string position_chart(const ReportedRun& run) {
  if (!run.corpus) return {};
  Series model{.name = "this model", .hue = validation_hue},
      ngrams{.name = "n-grams", .hue = training_hue, .dashed = true};
  for (const PositionLoss& mean : position_losses(run.model.gpt, *run.corpus, position_tokens(run)))
    model.points.push_back({static_cast<double>(mean.first + mean.last) / 2, mean.loss});
  const auto& [losses, symbol] = run.info.ngrams;
  const model::TokenizerKind kind = run.tokenizer().kind();
  // Of as many tokens as symbols.
  if (symbol == "token" ||
      kind == (symbol == "byte" ? model::TokenizerKind::byte : model::TokenizerKind::character))
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
