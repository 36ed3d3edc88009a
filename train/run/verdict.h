// The closing words of a run: what its loss means, and what to try next.
#pragma once

#include <string>

#include "train/loop/trainer.h"
#include "train/run/run.h"

namespace train {

// One or two sentences about a run that reached its max_iters; `last` is its last evaluation.
std::string verdict(const Run& run, const Evaluation& last);

// Whether an evaluation that is worse than the best one shows overfitting: the training text is
// predicted better than the validation text ever was. (Losses that both rise have another cause.)
bool overfits(const Run& run, const Evaluation& evaluation);

}  // namespace train
