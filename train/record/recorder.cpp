#include "train/record/recorder.h"

#include <chrono>
#include <cstdio>
#include <utility>

namespace train {
namespace {

std::string utc_now() { return utc_text(std::chrono::system_clock::now()); }

std::string text_of(std::span<const LogRow> rows) {
  std::string text;
  for (const LogRow& row : rows) text += train::text_of(row);
  return text;
}

}  // namespace

std::string utc_text(std::chrono::system_clock::time_point moment) {
  using namespace std::chrono;
  const auto second = floor<seconds>(moment);
  const auto day = floor<days>(second);
  const year_month_day date = day;
  const hh_mm_ss time(second - day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()},
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text;
}

RecordFile::RecordFile(const RunFiles& files, std::string RunFiles::*name, std::string contents)
    : files_(files), name_(name), contents_(std::move(contents)) {
  save();
}

void RecordFile::save() {
  const std::string& path = files_.*name_;
  const std::string_view all = contents_;
  if (!file_ || !file_->is_at(path)) {
    files_.write(path, {&all, 1});
    file_.emplace(path, std::ssize(all), files_.open());
  } else if (saved_ < all.size()) {
    file_->append(all.substr(saved_));
  }
  saved_ = all.size();
}

// The part of the record that is kept, and the seconds spent until then.
struct Recorder::Kept {
  std::vector<LogRow> log;
  std::string times{times_header}, samples, sessions;
  double seconds = 0;
};

Recorder::Kept Recorder::kept(const RunFiles& files, const Training& training, Index interval,
                              bool resumed) {
  Kept kept;
  if (resumed) kept.sessions = record_file(files.sessions);
  const Index step = training.step;
  if (step == 0) return kept;
  // An evaluation at the checkpoint's own step may have been made after it, by a session that was
  // killed before its next checkpoint.
  const Index evaluated = training.evaluated_step;
  for (LogRow row : read_record(files.log, read_log)) {
    if (row.step > evaluated) row.train_loss = row.val_loss = {};
    const bool is_of_update = row.loss && row.step % interval == 0;
    if (row.step <= step && (is_of_update || row.val_loss)) kept.log.push_back(row);
  }
  for (const TimeRow& row : read_record(files.times, read_times))
    if (row.step <= step) {
      kept.times += text_of(row);
      kept.seconds = row.seconds;
    }
  for (const Sample& sample : read_record(files.samples, read_samples))
    if (sample.step <= step) kept.samples += text_of(sample);
  return kept;
}

Recorder::Recorder(const RunFiles& files, const Training& training, Index interval, bool resumed,
                   RunningClock::Now now)
    : Recorder(files, kept(files, training, interval, resumed), interval, now) {}

Recorder::Recorder(const RunFiles& files, Kept kept, Index interval, RunningClock::Now now)
    : interval_(interval),
      now_(now),
      seconds_before_(kept.seconds),
      log_(std::move(kept.log)),
      saved_rows_(log_.size()),
      log_file_(files, &RunFiles::log, std::string(log_header) + text_of(log_)),
      times_(files, &RunFiles::times, kept.times),
      samples_(files, &RunFiles::samples, kept.samples),
      sessions_(files, &RunFiles::sessions, kept.sessions) {}

void Recorder::start(SessionRow session) {
  start_ = now_();
  session.utc = utc_now();
  sessions_.add(text_of(session));
}

void Recorder::add(const LogRow& row) {
  const std::chrono::duration<double> session = now_() - start_;
  log_.push_back(row);
  times_.add(text_of(TimeRow{row.step, seconds_before_ + session.count(), utc_now()}));
}

void Recorder::updated(const Update& update) {
  latest_ = {update.step + 1, update.loss, update.learning_rate, update.gradient_norm};
  if (latest_->step % interval_ == 0) add(*latest_);
}

void Recorder::evaluated(const Evaluation& e) {
  if (log_.size() == saved_rows_ || log_.back().step != e.step)
    add(latest_ && latest_->step == e.step ? *latest_ : LogRow{e.step, {}, {}, {}});
  log_.back().train_loss = e.train_loss;
  log_.back().val_loss = e.val_loss;
}

void Recorder::save() {
  log_file_.add(text_of(std::span(log_).subspan(std::exchange(saved_rows_, log_.size()))));
  for (RecordFile* const file : {&log_file_, &times_, &samples_, &sessions_}) file->save();
}

}  // namespace train
