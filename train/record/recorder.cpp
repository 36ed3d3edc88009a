#include "train/record/recorder.h"
#include "train/system/files.h"

#include <chrono>
#include <cstdio>
#include <span>
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

RecordFile::RecordFile(const std::string& path, std::string contents)
    : path_(path), contents_(std::move(contents)) {
  save([] { return true; });
}

void RecordFile::take_back(std::string_view text) {
  contents_.resize(contents_.size() - text.size());
  saved_.reset();
}

std::string RecordFile::save(const std::function<bool()>& may_write) {
  const std::string_view all = contents_;
  std::string line;
  if (!saved_ || !append_to_file(path_, static_cast<Index>(*saved_), all.substr(*saved_))) {
    if (!may_write()) return {};  // it is another run's
    if (saved_ && file_exists(path_) && !model::is_link(path_))
      line = keep_aside(path_, joined(printable(path_), ": was changed by another program"));
    model::replace_file(path_, {&all, 1}, "", may_write);
  }
  saved_ = all.size();
  return line;
}

// The part of the record that is kept, and the seconds spent until then.
struct Recorder::Kept {
  std::vector<LogRow> log;
  std::string times{times_header}, samples, sessions;
  double seconds = 0;
  std::vector<std::string> lines;  // about files that do not read
};

Recorder::Kept Recorder::kept(const RunFiles& files, const Training& training, Index interval,
                              bool resumed) {
  Kept kept;
  const auto rows_of = [&](const std::string& path, auto read) -> decltype(read({})) {
    const std::string file = record_file(path);
    try {
      return model::within([&] { return read(file); }, printable(path));
    } catch (const Error& error) {
      kept.lines.push_back(keep_aside(path, error.what()));
      return {};
    }
  };
  if (resumed && !rows_of(files.sessions, read_sessions).empty()) {
    kept.sessions = record_file(files.sessions);
    kept.sessions.resize(kept.sessions.rfind('\n') + 1);  // a kill may have cut the last line
  }
  const Index step = training.step;
  if (step == 0) return kept;
  // An evaluation at the checkpoint's own step may have been made after it, by a session that was
  // killed before its next checkpoint.
  const Index evaluated = training.evaluated_step;
  for (LogRow row : rows_of(files.log, read_log)) {
    if (row.step > evaluated) row.train_loss = row.val_loss = {};
    const bool is_of_update = row.loss && row.step % interval == 0;
    if (row.step <= step && (is_of_update || row.val_loss)) kept.log.push_back(row);
  }
  for (const TimeRow& row : rows_of(files.times, read_times))
    if (row.step <= step) {
      kept.times += text_of(row);
      kept.seconds = row.seconds;
    }
  for (const Sample& sample : rows_of(files.samples, read_samples))
    if (sample.step <= step) kept.samples += text_of(sample);
  return kept;
}

Recorder::Recorder(const RunFiles& files, const Training& training, Index interval, bool resumed)
    : Recorder(files, kept(files, training, interval, resumed), interval) {}

Recorder::Recorder(const RunFiles& files, Kept kept, Index interval)
    : interval_(interval),
      seconds_before_(kept.seconds),
      log_(std::move(kept.log)),
      saved_rows_(log_.size()),
      log_file_(files.log, std::string(log_header) + text_of(log_)),
      times_(files.times, kept.times),
      samples_(files.samples, kept.samples),
      sessions_(files.sessions, kept.sessions),
      lines_(kept.lines) {}

void Recorder::start(SessionRow session) {
  start_ = std::chrono::steady_clock::now();
  session.utc = utc_now();
  sessions_.add(text_of(session));
}

void Recorder::add(const LogRow& row) {
  const std::chrono::duration<double> session = std::chrono::steady_clock::now() - start_;
  log_.push_back(row);
  times_.add(text_of(TimeRow{row.step, seconds_before_ + session.count(), utc_now()}));
}

void Recorder::updated(const Update& update) {
  latest_ = {update.step + 1, update.loss, update.learning_rate, update.gradient_norm};
  if (latest_->step % interval_ == 0) add(*latest_);
}

void Recorder::evaluated(const Evaluation& e) {
  if (log_.empty() || log_.back().step != e.step)
    add(latest_ && latest_->step == e.step ? *latest_ : LogRow{e.step, {}, {}, {}});
  else if (saved_rows_ == log_.size())  // of the update, in a session before this one
    log_file_.take_back(train::text_of(log_[--saved_rows_]));
  log_.back().train_loss = e.train_loss;
  log_.back().val_loss = e.val_loss;
}

std::vector<std::string> Recorder::save(const std::function<bool()>& may_write) {
  log_file_.add(text_of(std::span(log_).subspan(std::exchange(saved_rows_, log_.size()))));
  for (RecordFile* const file : {&log_file_, &times_, &samples_, &sessions_}) {
    if (!may_write()) break;
    if (const std::string line = file->save(may_write); !line.empty()) lines_.push_back(line);
  }
  return std::exchange(lines_, {});
}

}  // namespace train
