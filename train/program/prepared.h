// What gradus train does for a new run and for a resumed one alike: the two are two ways to prepare.
#pragma once

#include <memory>
#include <string>

#include "model/base/directories.h"
#include "train/cli/settings.h"
#include "train/run/session.h"
#include "train/system/words.h"

namespace train {

// A run that is about to train.
struct Prepared {
  RunFiles files;
  std::unique_ptr<model::OutputDirectory> directory;  // theirs, locked
  Sources sources;                                    // without their text
  Corpus corpus;
  Run run;
  double peak_flops;  // of all processes together
  Speed speed;        // that is expected
};

// The run's directory, made where it is missing, and locked.
std::unique_ptr<model::OutputDirectory> take_directory(const RunFiles& files, Notes& notes);

// Throws unless training by the plan fits in memory beside its tokens, in all processes of this machine.
void check_memory(const Plan& plan, const Corpus& corpus, const Processes& processes);

// How fast training is, in all processes, of that peak together: measured for half a second if the
// run will take a while, or if they wait for each other, of which the peak says nothing.
Speed expected_speed(const TrainSettings& settings, const model::TokenizerHandle& tokenizer,
                     const Plan& plan, const Corpus& corpus, Index first_step, double peak_flops);

// Says what is trained, trains to the end or to a signal, and says what came of it; returns the exit
// status. start_time: when the program did.
int train(Prepared& prepared, const TrainSettings& settings, Notes& notes,
          RunningClock::time_point start_time);

}  // namespace train
