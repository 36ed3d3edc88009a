// gradus train --resume: a run read back, changed by the flags that a resumed run may be given, and
// carried on.
#pragma once

#include "train/cli/settings.h"
#include "train/system/running_clock.h"

namespace train {

// Throws Error if the checkpoint is damaged, or if another value was given for a setting that
// must not change. start_time: when the program did.
int resume(const Settings& settings, Notes& notes, RunningClock::time_point start_time);

}  // namespace train
