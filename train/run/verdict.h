// The closing words of a run: what its loss means, and what to try next.
#pragma once

#include <string>

#include "train/run/run.h"

namespace train {

// One or two sentences. last_val_loss: of the last evaluation.
std::string verdict(const Run& run, double last_val_loss);

}  // namespace train
