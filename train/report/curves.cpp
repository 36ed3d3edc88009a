#include "train/report/curves.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "train/report/chart.h"
#include "train/report/measures.h"

namespace train {
namespace {

using engine::joined;

// The marks of one chart; with their numbers in the table each takes some 200 bytes.
constexpr Index max_marks = 1000;
// Evaluations that are shown of each line.
Index shown_of(Index lines) { return std::clamp<Index>(max_marks / lines, 10, max_marks / 2); }

// Tokens that the loss at each position is measured on: a second or two for ten million weights,
// fewer for more.
Index position_tokens(const Subject& run) {
  return std::min<Index>(40'000, (Index(1) << 40) / run.plan.parameter_count());
}

constexpr int training_hue = 28, validation_hue = 212;
int hue_of(Index run) { return static_cast<int>(validation_hue + 137 * run) % 360; }

// Of a long run the first and the last evaluation and, of each stretch of the others, those with the
// lowest and the highest validation loss: so the best one stays, and so do the jumps.
std::vector<LogRow> thinned(const std::vector<LogRow>& log, Index most) {
  const Index n = std::ssize(log), stretches = std::max<Index>(most / 2 - 1, 1);
  if (n <= most) return log;
  std::vector<LogRow> rows{log.front()};
  for (Index i = 0; i < stretches; ++i) {
    const auto begin = log.begin() + 1 + i * (n - 2) / stretches,
               end = log.begin() + 1 + (i + 1) * (n - 2) / stretches;
    const auto [lowest, highest] = std::minmax_element(
        begin, end, [](const LogRow& a, const LogRow& b) { return a.val_loss < b.val_loss; });
    rows.push_back(*std::min(lowest, highest));
    if (lowest != highest) rows.push_back(*std::max(lowest, highest));
  }
  rows.push_back(log.back());
  return rows;
}

std::string thinning_note(std::span<const Subject> runs, Index most) {
  Index longest = 0;
  for (const Subject& run : runs) longest = std::max(longest, std::ssize(run.log));
  return longest <= most ? std::string()
                         : joined(" Of ", engine::count_text(longest), " evaluations ", most,
                                  " are shown, the best among them.");
}

// A line for each run; value(row) may be absent.
template <class Value>
Chart of_runs(std::span<const Subject> runs, const std::string& name, Value value) {
  Chart chart;
  chart.x_name = "step";
  chart.whole_x = true;
  const Index most = shown_of(2 * std::ssize(runs));
  for (Index i = 0; i < std::ssize(runs); ++i) {
    const Subject& run = engine::at(runs, i);
    Series& line = chart.series.emplace_back();
    line.name = runs.size() == 1 ? name : run.name;
    line.hue = hue_of(i);
    for (const LogRow& row : thinned(run.log, most))
      if (const std::optional<double> y = value(row))
        line.points.push_back({static_cast<double>(row.step), *y});
  }
  chart.note = thinning_note(runs, most);
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
  chart.whole_x = true;
  chart.log_y = true;
  std::map<std::string, std::size_t> places;
  std::set<Index> steps;
  for (const LayerRow& row : run.layers) {
    steps.insert(row.step);
    if (places.emplace(row.layer, chart.series.size()).second)
      chart.series.push_back({row.layer, {}, 0, row.layer.ends_with(".mlp")});
  }
  const Index lines = std::max<Index>(std::ssize(chart.series), 1), all = std::ssize(steps);
  const Index every = engine::ceil_div(all, shown_of(lines));
  Index number = 0;
  std::set<Index> shown;  // from the last one backwards
  for (const Index step : steps)
    if ((all - ++number) % every == 0) shown.insert(step);
  for (const LayerRow& row : run.layers) {
    const std::optional<double> y = value(row);
    if (shown.contains(row.step) && y && *y > 0)
      chart.series[places[row.layer]].points.push_back({static_cast<double>(row.step), *y});
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i)
    chart.series[i].hue = static_cast<int>(300 * i / chart.series.size());
  chart.note =
      "h.0.attn is the attention of the first block, layer 1 of the maps, with its norm; h.0.mlp "
      "is its feed-forward part.";
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
    // Those above the whole curve would only squash it.
    double highest = 0;
    for (const LogRow& row : runs[0].log)
      highest = std::max({highest, row.train_loss, row.val_loss});
    for (std::size_t context = 0; context < losses.size(); ++context)
      if (losses[context] <= 1.1 * highest)
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
  chart.whole_x = false;
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
