#include "train/record/recorder.h"

#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "train/loop/layer_norms.h"

namespace train {
namespace {

// 2026-11-22T17:40:00Z
std::string utc_now() {
  using namespace std::chrono;
  const auto now = floor<seconds>(system_clock::now());
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss time(now - day);
  const auto two = [](auto number) {
    const auto n = static_cast<unsigned>(number);
    return engine::joined(n < 10 ? "0" : "", n);
  };
  return engine::joined(static_cast<int>(date.year()), "-", two(unsigned(date.month())), "-",
                        two(unsigned(date.day())), "T", two(time.hours().count()), ":",
                        two(time.minutes().count()), ":", two(time.seconds().count()), "Z");
}

// Whether the log was begun by a program that wrote four columns.
bool has_old_columns(const RunFiles& files, Index size) {
  return size > 0 && record_file(files.log).starts_with(old_log_header);
}

// The length of times.csv up to the last step of the log, which is that long. Adds the seconds that
// had passed by then.
Index kept_times(const RunFiles& files, Index log_size, double& seconds) {
  const std::string log = record_file(files.log);
  if (log_size == 0 || std::ssize(log) < log_size || !engine::file_exists(files.times)) return 0;
  const std::vector<LogRow> logged = rows_of(
      files.log, std::string_view(log).substr(0, engine::unsigned_size(log_size)), read_log);
  if (logged.empty()) return 0;
  const std::string times = record_file(files.times);
  std::size_t size = times_header.size();
  for (const TimeRow& row : read_record(files.times, read_times)) {
    if (row.step > logged.back().step) break;
    seconds = row.seconds;
    size = times.find('\n', size) + 1;
  }
  return static_cast<Index>(size);
}

// A file that was removed is begun anew: only log.csv must be there.
Index kept(const std::string& path, Index size) { return engine::file_exists(path) ? size : 0; }

}  // namespace

Recorder::Recorder(const RunFiles& files, const RecordSizes& sizes)
    : old_columns_(has_old_columns(files, sizes.log)),
      log_(files.log, sizes.log),
      times_(files.times, kept_times(files, sizes.log, seconds_before_)),
      layers_(files.layers, kept(files.layers, sizes.layers)),
      samples_(files.samples, kept(files.samples, sizes.samples)) {
  if (log_.size() == 0) log_.append(log_header);
  if (times_.size() == 0) times_.append(times_header);
  if (layers_.size() == 0) layers_.append(layers_header);
}

void Recorder::evaluated(const Training& training, const Evaluation& e) {
  const std::chrono::duration<double> session = Clock::now() - start_;
  times_.append(text_of(TimeRow{e.step, seconds_before_ + session.count(), utc_now()}));
  std::string rows;
  const std::vector<std::string> layers = layer_names(training.parameters);
  const std::vector<double> norms = weight_norms(training.parameters);
  for (std::size_t i = 0; i < layers.size(); ++i)
    rows +=
        text_of(LayerRow{e.step, layers[i], norms[i],
                         e.gradient_norms.empty() ? std::optional<double>() : e.gradient_norms[i]});
  layers_.append(rows);
  const Plan& plan = training.plan;
  log_.append(
      text_of(LogRow{e.step, e.train_loss, e.val_loss, e.learning_rate, training.gradient_norm,
                     e.step * plan.sequences_per_update() * plan.block_size},
              old_columns_));
}

}  // namespace train
