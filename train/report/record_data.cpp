#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "train/report/data.h"
#include "train/report/text.h"
#include "train/report/thinned.h"
#include "train/system/words.h"

namespace train {
namespace {

// Values at steps.
struct Column {
  std::vector<Index> steps;
  std::vector<double> values;
  void add(Index step, double value) {
    steps.push_back(step);
    values.push_back(value);
  }
};

template <class T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<Index>& places) {
  std::vector<T> some;
  for (const Index i : places) some.push_back(engine::at(values, i));
  return some;
}

// {"count", "step", and the values by their name}.
JsonObject curve(const Column& all, const Thinned& some, std::string_view name) {
  return JsonObject().add("count", std::ssize(all.steps), "step",
                          json_array(picked(all.steps, some.kept)), name,
                          json_numbers(picked(all.values, some.kept)));
}
JsonObject curve(const Column& all, Index most, std::string_view name) {
  return curve(all, thinned(all.values, most), name);
}

Column column(const std::vector<LogRow>& rows, std::optional<double> LogRow::*value) {
  Column all;
  for (const LogRow& row : rows)
    if (row.*value) all.add(row.step, *(row.*value));
  return all;
}

JsonObject updates_of(const ReportedRun& run) {
  const Column all = column(run.log, &LogRow::loss);
  const Thinned some = thinned(all.values, 6000);
  return curve(all, some, "loss")
      .add("mean", some.means.empty() ? std::nullopt : std::optional(json_numbers(some.means)));
}

JsonObject evaluations_of(const ReportedRun& run) {
  const std::vector<LogRow> rows = evaluations(run.log);
  const Column val = column(rows, &LogRow::val_loss), train = column(rows, &LogRow::train_loss);
  const Thinned some = thinned(val.values, 1000);
  return curve(train, some, "train").add("val", json_numbers(picked(val.values, some.kept)));
}

JsonObject times_of(const ReportedRun& run) {
  Column times;
  for (const TimeRow& row : run.times) times.add(row.step, row.seconds);
  return curve(times, 500, "seconds");
}

// The median of each stretch, since a row after an evaluation includes the evaluation's time.
JsonObject speed_of(const ReportedRun& run) {
  Column speed;
  const auto tokens = static_cast<double>(run.plan.sequences_per_update() * run.plan.block_size);
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
    speed.add(engine::at(run.times, (i + 1) * rows / stretches).step, std::round(*middle));
  }
  return JsonObject().add("step", json_array(speed.steps), "tokens_per_second",
                          json_numbers(speed.values));
}

JsonObject samples_of(const ReportedRun& run, Index most) {
  const std::vector<Sample> some = picked(run.samples, evenly(std::ssize(run.samples), most));
  return JsonObject().add("count", std::ssize(run.samples), "step",
                          json_array(some, [](const Sample& sample) { return sample.step; }),
                          "text", json_array(some, [](const Sample& sample) {
                            return json_text(without_blank_head(sample.text));
                          }));
}

}  // namespace

void add_record(JsonObject& data, const ReportedRun& run, Index most_samples) {
  data.add("updates", updates_of(run), "learning_rate",
           curve(column(run.log, &LogRow::learning_rate), 500, "value"), "gradient_norm",
           curve(column(run.log, &LogRow::gradient_norm), 1500, "value"), "evaluations",
           evaluations_of(run), "times", times_of(run), "speed", speed_of(run), "samples",
           samples_of(run, most_samples));
}

}  // namespace train
