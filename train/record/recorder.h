// Writes the record of a run (record.h) while it trains.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/base/files.h"
#include "train/loop/trainer.h"
#include "train/record/record.h"
#include "train/record/run_files.h"
#include "train/system/running_clock.h"
#include "train/system/words.h"

namespace train {

// The moment in UTC: 2026-11-22T17:40:00Z.
std::string utc_text(std::chrono::system_clock::time_point moment);

// A file of the record, under its current name in `files`.
class RecordFile {
 public:
  // Replaces what is there. The files must outlive it.
  RecordFile(const RunFiles& files, std::string RunFiles::*name, std::string contents);
  void add(std::string_view text) { contents_ += text; }
  void save();  // writes what was added; everything if the file was removed

 private:
  const RunFiles& files_;
  std::string RunFiles::*name_;
  std::string contents_;
  std::size_t saved_ = 0;  // bytes of it
  std::optional<model::AppendFile> file_;
};

class Recorder {
 public:
  // At step 0, starts new files. Later, in a run resumed from its checkpoint, they keep what was
  // recorded up to that step. Throws Error, before anything is changed, if one of them cannot be
  // read. interval: a row for every interval-th update. resumed: the session that started the run
  // is kept, also at step 0. `files` must outlive the Recorder; its names may change.
  Recorder(const RunFiles& files, const Training& training, Index interval, bool resumed,
           RunningClock::Now now = RunningClock::now);

  // Training starts or resumes now; the session gets this time.
  void start(SessionRow session);
  void updated(const Update& update);
  void evaluated(const Evaluation& evaluation);
  void sampled(const Sample& sample) { samples_.add(text_of(sample)); }
  // Writes all that is new. After an error it may be tried again.
  void save();

  const std::vector<LogRow>& log() const { return log_; }  // of the whole run

 private:
  struct Kept;
  static Kept kept(const RunFiles& files, const Training& training, Index interval, bool resumed);
  Recorder(const RunFiles& files, Kept kept, Index interval, RunningClock::Now now);
  void add(const LogRow& row);

  Index interval_;
  RunningClock::Now now_;
  double seconds_before_;  // in earlier sessions
  std::vector<LogRow> log_;
  std::size_t saved_rows_;        // of log_
  std::optional<LogRow> latest_;  // of the last update
  RecordFile log_file_, times_, samples_, sessions_;
  RunningClock::time_point start_ = now_();
};

}  // namespace train
