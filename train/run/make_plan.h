// The plan of a new run, from what is asked of it and the size of its text.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "train/loop/corpus.h"
#include "train/run/budget.h"
#include "train/run/defaults.h"
#include "train/system/notes.h"
#include "train/system/running_clock.h"
#include "train/system/words.h"

namespace train {

// What is asked of the plan of a new run: some of its settings; the others follow.
struct PlanWish {
  Plan values = {};
  Given given = {};  // those that are asked for
  Recipe recipe = Recipe::best;
  std::optional<model::Family> arch = {};  // else the recipe's
  double flops = default_flops;  // that training may cost, by which the model's size is chosen
  Index longest_context = std::numeric_limits<Index>::max();  // that block_size is by default
  int processes = 1;  // that share the micro-batches of an update
};

// The default plan for a text of this length (train/run/defaults.h), changed by what was given;
// settle_schedule completes it. values.dtype is settled.
Plan make_plan(const PlanWish& wish, Index characters, Index vocabulary);

// The same for going on with the weights of a model (--init_from), whose settings the plan has but
// for a shorter context and another dropout. `name`: of the model, for messages. knows_text: it was
// trained on this text, and goes on at a quarter of the rate, by which it loses least of what it knows
// and ends best (tests/recipes/README.md).
Plan make_fine_tuning_plan(const PlanWish& wish, Index tokens, const model::Config& config,
                           bool knows_text, const std::string& name);

// Derives Muon's weight decay from the text, lr_decay_iters from max_iters, and from lr_decay_iters
// warmup_iters, eval_interval and dropout, unless they were given. (Not from max_iters: a run that
// is to stop before its schedule ends, and is then resumed with a larger max_iters, is the run that
// never stopped.)
void settle_schedule(Plan& plan, const PlanWish& wish, const Corpus& corpus);

// --minutes, counted from when the program began: measures, for a twentieth of them, how long an
// update and an evaluation take, and fixes max_iters and what follows from it. Adds a note if the
// minutes are too few.
Speed settle_max_iters(const PlanWish& wish, double minutes, RunningClock::time_point start_time,
                       const Corpus& corpus, const MeasureSpeed& measure, Plan& plan, Notes& notes);

// Copies the settings that were given to the plan, of those that hold so long.
void take_given(const PlanWish& wish, Holds holds, Plan& plan);

}  // namespace train
