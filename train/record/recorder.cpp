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

template <class Rows>
std::string file_of(std::string_view header, const Rows& rows) {
  std::string file(header);
  for (const auto& row : rows) file += text_of(row);
  return file;
}

// The rows of a file up to this step.
template <class Rows>
Rows rows_until(Index step, const std::string& path, Rows (*read)(std::string_view)) {
  Rows rows = read_record(path, read);
  std::erase_if(rows, [&](const auto& row) { return row.step > step; });
  return rows;
}

engine::AppendFile begun(const std::string& path, const std::string& contents) {
  const std::string_view all = contents;
  engine::write_file(path, {&all, 1});
  return {path, std::ssize(contents)};
}

}  // namespace

// What the files begin with.
struct Recorder::Kept {
  std::vector<LogRow> log;
  std::vector<TimeRow> times;
  std::vector<LayerRow> layers;
  std::vector<Sample> samples;
};

Recorder::Kept Recorder::kept(const RunFiles& files, const Training& training) {
  if (training.step == 0) return {};
  // A file that was removed is begun anew: only log.csv must be there.
  if (!engine::file_exists(files.log)) throw engine::SystemError(files.log, "open", ENOENT);
  // An evaluation at the checkpoint's own step may have been made after it, by a session that was
  // killed before its next one. Checkpoints from before 2026-12 may not say which was the last.
  const Index evaluated = training.evaluated_step < 0 ? training.step : training.evaluated_step;
  return {rows_until(evaluated, files.log, read_log),
          rows_until(evaluated, files.times, read_times),
          rows_until(evaluated, files.layers, read_layers),
          rows_until(training.step, files.samples, read_samples)};
}

Recorder::Recorder(const RunFiles& files, const Training& training)
    : Recorder(files, kept(files, training)) {}

Recorder::Recorder(const RunFiles& files, const Kept& kept)
    : seconds_before_(kept.times.empty() ? 0 : kept.times.back().seconds),
      log_(begun(files.log, file_of(log_header, kept.log))),
      times_(begun(files.times, file_of(times_header, kept.times))),
      layers_(begun(files.layers, file_of(layers_header, kept.layers))),
      samples_(begun(files.samples, file_of("", kept.samples))) {}

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
