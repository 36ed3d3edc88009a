// From what the command line says, and the text it is for, to the plan of a new run.
#pragma once

#include "train/program/settings.h"

namespace train {

// Flags over a plan that suits a text of so many tokens (train/run/defaults.h). peak_flops: what this
// machine can do in a second; with --minutes the model is chosen by it.
Plan make_plan(const Settings& settings, Index tokens, Index vocabulary, double peak_flops);

// What follows from max_iters, where it was not given: warm-up, decay, eval_interval.
void settle_schedule(Plan& plan, const Settings& settings);

// Copies what was given, of the settings that hold so long.
void take_given(const Settings& settings, Holds holds, Plan& plan);

}  // namespace train
