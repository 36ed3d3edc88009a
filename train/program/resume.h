// What a resumed run goes on from: its checkpoint, and its texts read again.
#pragma once

#include "train/program/settings.h"
#include "train/program/sources.h"
#include "train/run/run.h"
#include "train/run/run_files.h"

namespace train {

// The run in the checkpoint, with the settings that a resumed run may be given. Throws engine::Error if
// the checkpoint is damaged, or if another value was given for a setting that must not change.
Run read_run(const Settings& settings, const RunFiles& files);

// The run's texts: those named, or those the run stored the names of. Throws engine::Error if they are
// not what they were when the run began.
Sources read_again(const Settings& settings, const Facts& facts, const RunFiles& files);

}  // namespace train
