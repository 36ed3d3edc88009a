// The part of gradus train that is the same for a new run and a resumed one; each has its own way
// to prepare.
#pragma once

#include <memory>

#include "train/program/commands.h"
#include "train/run/session.h"
#include "train/system/directories.h"
#include "train/system/words.h"

namespace train {

// A run that is about to train.
struct Prepared {
  RunFiles files;
  std::unique_ptr<OutputDirectory> directory;  // theirs, locked
  Sources sources;                             // without their text
  Corpus corpus;
  Run run;
  double peak_flops;  // of all processes together
  Speed speed;        // that is expected
};

// The run's directory, created if it is missing, and locked.
std::unique_ptr<OutputDirectory> take_directory(const RunFiles& files, Notes& notes);

// Throws Error unless training by the plan, with its tokens, fits in memory in all processes of
// this machine.
void check_memory(const Plan& plan, const Corpus& corpus, const Processes& processes);

// The expected speed of training in all processes, which together have this peak. It is measured
// for half a second at most if --minutes depend on it (0: they do not), if the run will take a
// while, or if there are several processes, since the peak does not include the time that they wait
// for each other.
Speed expected_speed(const Launch& launch, const model::TokenizerHandle& tokenizer,
                     const Plan& plan, const Corpus& corpus, Index first_step, double peak_flops,
                     double minutes = 0);

// Prints what is trained, trains to the end or to a signal, and prints the result; returns the exit
// status.
int train(Prepared& prepared, const TrainSettings& settings, const Launch& launch, Notes& notes);

}  // namespace train
