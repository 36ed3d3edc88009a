#include "train/report/curves.h"

#include <algorithm>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "train/report/chart.h"
#include "train/report/measures.h"

namespace train {
namespace {

using engine::joined;

// Of a long run as many evaluations are shown, the first and the last among them.
constexpr Index max_marks = 800;
// Tokens that the loss at each position is measured on: a second or two for ten million weights,
// fewer for more.
Index position_tokens(const Subject& run) {
  return std::min<Index>(40'000, (Index(1) << 40) / run.plan.parameter_count());
}

constexpr int training_hue = 28, validation_hue = 212;
int hue_of(Index run) { return static_cast<int>(validation_hue + 137 * run) % 360; }

std::vector<LogRow> thinned(const std::vector<LogRow>& log) {
  const Index n = std::ssize(log);
  if (n <= max_marks) return log;
  std::vector<LogRow> rows;
  for (Index i = 0; i < max_marks; ++i)
    rows.push_back(engine::at(log, i * (n - 1) / (max_marks - 1)));
  return rows;
}

std::string thinning_note(std::span<const Subject> runs) {
  Index longest = 0;
  for (const Subject& run : runs) longest = std::max(longest, std::ssize(run.log));
  return longest <= max_marks ? std::string()
                              : joined(" ", max_marks, " of ", engine::count_text(longest),
                                       " evaluations are shown.");
}

// A line for each run; value(row) may be absent.
template <class Value>
Chart of_runs(std::span<const Subject> runs, const std::string& name, Value value) {
  Chart chart;
  chart.x_name = "step";
  for (Index i = 0; i < std::ssize(runs); ++i) {
    const Subject& run = engine::at(runs, i);
    Series& line = chart.series.emplace_back();
    line.name = runs.size() == 1 ? name : run.name;
    line.hue = hue_of(i);
    for (const LogRow& row : thinned(run.log))
      if (const std::optional<double> y = value(row))
        line.points.push_back({static_cast<double>(row.step), *y});
  }
  chart.note = thinning_note(runs);
  return chart;
}

// The chart with x(run, step) in the place of steps, where it is known.
template <class X>
std::string over(std::span<const Subject> runs, Chart chart, X x) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<Point> points;
    for (const Point& point : chart.series[i].points)
      if (const std::optional<double> place = x(runs[i], point.x))
        points.push_back({*place, point.y});
    chart.series[i].points = points;
  }
  return html(chart);
}

Chart validation_chart(std::span<const Subject> runs) {
  Chart chart =
      of_runs(runs, "validation", [](const LogRow& row) { return std::optional(row.val_loss); });
  chart.y_name = "loss (nats per token)";
  return chart;
}

// The name of an n-gram by its context: a trigram has two tokens of it.
std::string ngram_name(std::size_t context) { return joined(context + 1, "-gram"); }

// A line for each layer, where value(row) is there and above 0.
template <class Value>
std::string layers_chart(const Subject& run, Chart chart, Value value) {
  chart.x_name = "step";
  chart.log_y = true;
  std::map<std::string, std::size_t> places;
  const Index every = std::ssize(run.log) / max_marks * 4 + 1;  // there are many lines
  Index step = -1, evaluation = -1;
  for (const LayerRow& row : run.layers) {
    if (row.step != step) ++evaluation;
    step = row.step;
    const auto [place, is_new] = places.emplace(row.layer, chart.series.size());
    if (is_new) chart.series.push_back({row.layer, {}, 0, row.layer.ends_with(".mlp")});
    const std::optional<double> y = value(row);
    if (evaluation % every == 0 && y && *y > 0)
      chart.series[place->second].points.push_back({static_cast<double>(row.step), *y});
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    chart.series[i].hue = static_cast<int>(300 * i / chart.series.size());
  chart.note =
      "h.0.attn is the first block&#39;s attention with its norm, h.0.mlp its feed-forward part.";
  return html(chart);
}

}  // namespace

std::string loss_chart(std::span<const Subject> runs) {
  Chart chart = validation_chart(runs);
  chart.id = "loss";
  chart.title = runs.size() == 1 ? "Loss in training and validation"
                                 : "Validation loss, training loss dashed";
  Chart training =
      of_runs(runs, "training", [](const LogRow& row) { return std::optional(row.train_loss); });
  for (Series& line : training.series) {
    if (runs.size() == 1)
      line.hue = training_hue;
    else
      line.name += ", training";
    line.dashed = runs.size() > 1;
    chart.series.push_back(line);
  }
  if (runs.size() == 1) {
    const std::vector<double>& losses = runs[0].facts.ngram_losses;
    for (std::size_t context = 0; context < losses.size(); ++context)
      chart.levels.push_back({ngram_name(context), losses[context]});
    // The best first: where there is no room for all names, it has its own.
    std::ranges::sort(chart.levels, {}, &Level::y);
    if (!losses.empty())
      chart.note =
          "Dotted: what counting reaches on the same text, n-grams of so many tokens." + chart.note;
  }
  return html(chart);
}

std::string loss_by_time_chart(std::span<const Subject> runs) {
  Chart chart = validation_chart(runs);
  chart.id = "loss-by-time";
  chart.title = "Validation loss over time";
  chart.x_name = "seconds of training, evaluations included";
  return over(runs, chart, [](const Subject& run, double step) {
    const auto row = std::ranges::find(run.times, static_cast<Index>(step), &TimeRow::step);
    return row == run.times.end() ? std::optional<double>() : row->seconds;
  });
}

std::string loss_by_tokens_chart(std::span<const Subject> runs) {
  Chart chart = validation_chart(runs);
  chart.id = "loss-by-tokens";
  chart.title = "Validation loss over tokens";
  chart.x_name = "tokens read";
  return over(runs, chart, [](const Subject& run, double step) {
    return std::optional(
        step * static_cast<double>(run.plan.sequences_per_update() * run.plan.block_size));
  });
}

std::string learning_rate_chart(std::span<const Subject> runs) {
  Chart chart = of_runs(runs, "learning rate",
                        [](const LogRow& row) { return std::optional(row.learning_rate); });
  chart.id = "learning-rate";
  chart.title = "Learning rate";
  chart.y_name = "learning rate";
  chart.from_zero = true;
  return html(chart);
}

std::string gradient_chart(std::span<const Subject> runs) {
  Chart chart = of_runs(runs, "gradient norm", [](const LogRow& row) { return row.gradient_norm; });
  chart.id = "gradient-norm";
  chart.title = "Norm of the gradient before clipping";
  chart.y_name = "norm";
  chart.from_zero = true;
  if (runs.size() == 1 && runs[0].plan.grad_clip > 0)
    chart.levels.push_back({"clipped to", runs[0].plan.grad_clip});
  return html(chart);
}

std::string weight_norms_chart(const Subject& run) {
  Chart chart;
  chart.id = "weight-norms";
  chart.title = "Norm of each layer's weights";
  chart.y_name = "norm";
  return layers_chart(run, chart,
                      [](const LayerRow& row) { return std::optional(row.weight_norm); });
}

std::string gradient_norms_chart(const Subject& run) {
  Chart chart;
  chart.id = "gradient-norms";
  chart.title = "Norm of each layer's gradient";
  chart.y_name = "norm";
  return layers_chart(run, chart, [](const LayerRow& row) { return row.gradient_norm; });
}

std::string position_chart(const Subject& run) {
  if (!run.corpus) return {};
  Chart chart;
  chart.id = "position-loss";
  chart.title = "Loss by the length of the context";
  chart.x_name = "tokens of context";
  chart.y_name = "loss (nats per token)";
  chart.log_x = true;
  Series model{"this model", {}, validation_hue}, ngrams{"n-grams", {}, training_hue, true};
  for (const PositionLoss& mean : position_losses(run.model.gpt, *run.corpus, position_tokens(run)))
    model.points.push_back({static_cast<double>(mean.first + mean.last) / 2, mean.loss});
  const std::vector<double>& losses = run.facts.ngram_losses;
  for (std::size_t context = 1; context < losses.size(); ++context)
    ngrams.points.push_back({static_cast<double>(context), losses[context]});
  chart.series = {model, ngrams};
  chart.note = "A line that still falls at its right end says that a longer block_size may help.";
  return html(chart);
}

}  // namespace train
