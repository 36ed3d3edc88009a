// What gradus train does for a new run and for a resumed one alike.
#pragma once

#include <string>

#include "model/base/directories.h"
#include "train/cli/settings.h"
#include "train/run/session.h"
#include "train/system/words.h"

namespace train {

// Throws unless training by the plan fits in memory beside its tokens, in all processes of this machine.
void check_memory(const Plan& plan, const Corpus& corpus, const Processes& processes);

void note_missing_lock(const model::DirectoryLock& lock, const RunFiles& files, Notes& notes);

// How fast training is, in all processes, of that peak together: measured for half a second if the
// run will take a while, or if they wait for each other, of which the peak says nothing.
Speed expected_speed(const Settings& settings, const model::TokenizerHandle& tokenizer,
                     const Plan& plan, const Corpus& corpus, Index first_step, double peak_flops);

// start_time: when the program did.
SessionOptions session_options(const Settings& settings, RunningClock::time_point start_time,
                               const Run& run, double peak_flops);

// Trains to the end or to a signal, and says what came of it; returns the exit status.
int carry_out(Session& session, Run& run, const Corpus& corpus, const Settings& settings);

}  // namespace train
