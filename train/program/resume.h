// gradus train --resume: a run read back, and changed by the flags that a resumed run may be given.
#pragma once

#include <optional>

#include "train/program/prepared.h"

namespace train {

// Throws Error if the checkpoint is damaged, or if another value was given for a setting that
// must not change. Nothing: the run is at its end, which was said.
std::optional<Prepared> resume(const TrainSettings& settings, Notes& notes);

}  // namespace train
