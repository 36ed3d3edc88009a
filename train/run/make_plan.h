// The plan of a new run, from the command line and the size of its text.
#pragma once

#include <string>
#include <vector>

#include "train/cli/settings.h"
#include "train/loop/corpus.h"
#include "train/run/budget.h"
#include "train/system/notes.h"
#include "train/system/running_clock.h"

namespace train {

// The default plan for a text of so many characters (train/run/defaults.h), changed by the flags that
// were given; settle_schedule completes it. dtype: settled. peak_flops: floating-point operations a
// second of this machine in that precision, by which --minutes chooses the model's size.
Plan make_plan(const Settings& settings, Index characters, Index vocabulary,
               const std::string& dtype, double peak_flops);

// The same for going on with the weights of a model (--init_from), whose settings the plan has but
// for a shorter context and another dropout. `name`: of the model, for messages. knows_text: it was
// trained on this text, and goes on at a quarter of the rate, by which it loses least of what it knows
// and ends best (tests/recipes/README.md).
Plan make_fine_tuning_plan(const Settings& settings, Index tokens, const model::Config& config,
                           bool knows_text, const std::string& name, const std::string& dtype,
                           double peak_flops);

// Derives Muon's weight decay from the text, lr_decay_iters from max_iters, and from lr_decay_iters
// warmup_iters, eval_interval and dropout, unless they were given. (Not from max_iters: a run that
// is to stop before its schedule ends, and is then resumed with a larger max_iters, is the run that
// never stopped.)
void settle_schedule(Plan& plan, const Settings& settings, const Corpus& corpus);

// --minutes, counted from when the program began: measures, for a twentieth of them, how long an
// update and an evaluation take, and fixes max_iters and what follows from it. Adds a note if the
// minutes are too few.
Speed settle_max_iters(const Settings& settings, RunningClock::time_point begun,
                       const Corpus& corpus, Plan& plan, Notes& notes);

// Copies the settings that were given to the plan, of those that hold so long.
void take_given(const Settings& settings, Holds holds, Plan& plan);

}  // namespace train
