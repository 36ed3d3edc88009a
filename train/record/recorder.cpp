#include "train/record/recorder.h"

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "train/record/layer_norms.h"

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

engine::AppendFile begun(const std::string& path, const std::string& contents) {
  const std::string_view all = contents;
  engine::write_file(path, {&all, 1});
  return {path, std::ssize(contents)};
}

}  // namespace

// What the files begin with, and the seconds spent by then.
struct Recorder::Kept {
  std::string log{log_header}, times{times_header}, layers{layers_header}, samples;
  double seconds = 0;
};

Recorder::Kept Recorder::kept(const RunFiles& files, const Training& training) {
  Kept kept;
  if (training.step == 0) return kept;
  // A file that was removed is begun anew: only log.csv must be there.
  if (!engine::file_exists(files.log)) throw engine::SystemError(files.log, "open", ENOENT);
  // An evaluation at the checkpoint's own step may have been made after it, by a session that was
  // killed before its next one. Checkpoints from before 2026-12 may not say which was the last.
  const Index evaluated = training.evaluated_step < 0 ? training.step : training.evaluated_step;
  const auto keep = [](const auto& rows, Index until, std::string& file) {
    for (const auto& row : rows)
      if (row.step <= until) file += text_of(row);
  };
  keep(read_record(files.log, read_log), evaluated, kept.log);
  keep(read_record(files.layers, read_layers), evaluated, kept.layers);
  keep(read_record(files.samples, read_samples), training.step, kept.samples);
  const std::vector<TimeRow> times = read_record(files.times, read_times);
  keep(times, evaluated, kept.times);
  for (const TimeRow& row : times)
    if (row.step <= evaluated) kept.seconds = row.seconds;
  return kept;
}

Recorder::Recorder(const RunFiles& files, const Training& training)
    : Recorder(files, kept(files, training)) {}

Recorder::Recorder(const RunFiles& files, const Kept& kept)
    : seconds_before_(kept.seconds),
      log_(begun(files.log, kept.log)),
      times_(begun(files.times, kept.times)),
      layers_(begun(files.layers, kept.layers)),
      samples_(begun(files.samples, kept.samples)) {}

void Recorder::differentiated(const Training& training) {
  gradient_norms_ = gradient_norms(training.parameters);
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
                         gradient_norms_.empty() ? std::optional<double>() : gradient_norms_[i]});
  layers_.append(rows);
  const Plan& plan = training.plan;
  log_.append(
      text_of(LogRow{e.step, e.train_loss, e.val_loss, e.learning_rate, training.gradient_norm,
                     e.step * plan.sequences_per_update() * plan.block_size}));
}

}  // namespace train
