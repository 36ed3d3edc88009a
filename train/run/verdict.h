// The closing words of a run: what its loss means, and what to try next.
#pragma once

#include <string>

#include "train/loop/trainer.h"
#include "train/run/run.h"
#include "train/text/text_units.h"

namespace train {

// One or two sentences about a run that reached its max_iters. `last` is its last evaluation,
// best_train_loss the training loss at its best one (infinite if that is not known). units: of the
// validation text.
std::string verdict(const Run& run, const Evaluation& last, double best_train_loss,
                    const TextUnits& units);

// Whether an evaluation that is worse than the best one shows overfitting: the training loss has
// gone on falling. (Losses that both rise, or stay, have another cause.)
bool overfits(const Evaluation& evaluation, double best_train_loss);

}  // namespace train
