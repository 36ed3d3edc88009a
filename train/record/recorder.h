// Writes the record of a run (record.h) while it trains.
#pragma once

#include <chrono>
#include <string>

#include "engine/base/files.h"
#include "train/loop/trainer.h"
#include "train/record/record.h"
#include "train/record/run_files.h"

namespace train {

// The lengths in bytes of the files when the checkpoint was written, to which a resumed run cuts
// them back. 0: not begun.
struct RecordSizes {
  Index log = 0, layers = 0, samples = 0;
};

class Recorder {
 public:
  // Begins the files, or cuts them back to these sizes; times.csv to the steps that are in log.csv.
  // An error if log.csv, or another file that exists, is shorter.
  Recorder(const RunFiles& files, const RecordSizes& sizes);

  // Training begins, or goes on, at this moment.
  void start() { start_ = Clock::now(); }
  void evaluated(const Training& training, const Evaluation& evaluation);
  void sampled(const Sample& sample) { samples_.append(text_of(sample)); }

  RecordSizes sizes() const { return {log_.size(), layers_.size(), samples_.size()}; }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_before_ = 0;  // in earlier sessions; set while times_ is opened
  bool old_columns_;
  engine::AppendFile log_, times_, layers_, samples_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace train
