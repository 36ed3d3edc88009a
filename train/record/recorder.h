// Writes the record of a run (record.h) while it trains.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "train/loop/trainer.h"
#include "train/record/record.h"
#include "train/record/run_files.h"

namespace train {

class Recorder {
 public:
  // At step 0 begins the files. Later, in a run that goes on from its checkpoint, they keep what was
  // recorded until then; rows of an older form get today's. An error, before anything is changed, if
  // log.csv is missing or one of them cannot be read.
  Recorder(const RunFiles& files, const Training& training);

  // Training begins, or goes on, at this moment.
  void start() { start_ = Clock::now(); }
  // Before the update that an evaluation follows: its gradients, as they are before clipping.
  void differentiated(const Training& training);
  void evaluated(const Training& training, const Evaluation& evaluation);
  void sampled(const Sample& sample) { samples_.append(text_of(sample)); }

 private:
  struct Kept;
  static Kept kept(const RunFiles& files, const Training& training);
  Recorder(const RunFiles& files, const Kept& kept);

  using Clock = std::chrono::steady_clock;
  double seconds_before_;               // in earlier sessions
  std::vector<double> gradient_norms_;  // of the layers; none before the first update
  engine::AppendFile log_, times_, layers_, samples_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace train
