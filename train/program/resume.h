// Resuming: a run read back, and changed by the flags that a resumed run may be given.
#pragma once

#include <string>

#include "train/cli/settings.h"
#include "train/record/run_files.h"
#include "train/run/run.h"

namespace train {

// The run in the checkpoint, changed by the flags. Throws engine::Error if the checkpoint is damaged,
// or if another value was given for a setting that must not change.
Run read_run(const Settings& settings, const RunFiles& files);

// Why a run whose learning rate has ended at 0 cannot be made longer, and two commands that do
// something like it.
std::string why_no_longer(const Settings& settings, const Run& run, const RunFiles& files);

}  // namespace train
