// The plan of a new run, from the command line and the size of its text.
#pragma once

#include "train/program/settings.h"

namespace train {

// The default plan for a text of so many tokens (train/run/defaults.h), changed by the flags that
// were given. peak_flops: floating-point operations a second of this machine; --minutes uses it to
// choose the model's size.
Plan make_plan(const Settings& settings, Index tokens, Index vocabulary, double peak_flops);

// Derives warmup_iters, lr_decay_iters and eval_interval from max_iters, unless they were given.
void settle_schedule(Plan& plan, const Settings& settings, Index tokens);

// Copies the settings that were given to the plan, of those that hold so long.
void take_given(const Settings& settings, Holds holds, Plan& plan);

}  // namespace train
