// Writes the record of a run (record.h) while it trains.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "train/loop/trainer.h"
#include "train/record/record.h"
#include "train/record/run_directory.h"
#include "train/system/words.h"

namespace train {

// The moment in UTC: 2026-11-22T17:40:00Z.
std::string utc_text(std::chrono::system_clock::time_point moment);

// A file of the record.
class RecordFile {
 public:
  RecordFile(const std::string& path, std::string contents);  // replaces what is there
  void add(std::string_view text) { contents_ += text; }
  void take_back(std::string_view text);  // which was added last
  // Writes what was added; everything if the file is no longer as it was left and may_write().
  // Returns a line if another program changed it, and that is kept under another name.
  std::string save(const std::function<bool()>& may_write);

 private:
  std::string path_, contents_;
  std::optional<std::size_t> saved_;  // bytes of it; none: all are to be written
};

class Recorder {
 public:
  // At step 0, starts new files. Later, in a run resumed from its checkpoint, they keep what was
  // recorded up to that step; one that no run wrote is kept under another name, and begun again.
  // interval: a row for every interval-th update. resumed: the session that started the run is
  // kept, also at step 0.
  Recorder(const RunFiles& files, const Training& training, Index interval, bool resumed);

  // Training starts or resumes now; the session gets this time.
  void start(SessionRow session);
  void updated(const Update& update);
  void evaluated(const Evaluation& evaluation);
  void sampled(const Sample& sample) { samples_.add(text_of(sample)); }
  // Writes all that is new, as long as may_write(), which is asked before each file. After an error
  // it may be tried again. Returns a line about each file that is now kept under another name.
  std::vector<std::string> save(const std::function<bool()>& may_write = [] { return true; });

  const std::vector<LogRow>& log() const { return log_; }  // of the whole run

 private:
  struct Kept;
  static Kept kept(const RunFiles& files, const Training& training, Index interval, bool resumed);
  Recorder(const RunFiles& files, Kept kept, Index interval);
  void add(const LogRow& row);

  Index interval_;
  double seconds_before_;  // in earlier sessions
  std::vector<LogRow> log_;
  std::size_t saved_rows_;        // of log_
  std::optional<LogRow> latest_;  // of the last update
  RecordFile log_file_, times_, samples_, sessions_;
  std::vector<std::string> lines_;  // for save to return
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace train
