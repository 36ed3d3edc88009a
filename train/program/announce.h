// What gradus train prints about a run, before and after training.
#pragma once

#include <string>

#include "train/cli/settings.h"
#include "train/program/prepared.h"
#include "train/run/session.h"

namespace train {

// One line: which model is trained on which text, and for how long.
void announce(const Prepared& prepared, const Processes& processes);
// The losses of n-grams, and how much of the validation text an evaluation reads.
void announce_measures(const Prepared& prepared);

// Notes on settings that may not do what the user intended.
void note_on(const Plan& plan, const TrainSettings& settings, Notes& notes);

// The run's result, a verdict and what to try next; on a terminal, the losses as a chart.
void announce_end(const Session& session, const Prepared& prepared, const std::string& program);

}  // namespace train
