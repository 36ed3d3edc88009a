// gradus train --resume: a run read back, and changed by the flags that a resumed run allows.
#pragma once

#include <optional>

#include "train/program/prepared.h"

namespace train {

// Throws Error if the checkpoint is damaged, or if a setting that must not change was given another
// value. Returns nothing if the run is finished; then it has printed so.
std::optional<Prepared> resume(const TrainSettings& settings, const Launch& launch, Notes& notes);

}  // namespace train
