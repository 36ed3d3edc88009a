// The plan of a new run, from the given settings and the size of its text.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "train/loop/corpus.h"
#include "train/run/budget.h"
#include "train/run/defaults.h"
#include "train/system/notes.h"
#include "train/system/words.h"

namespace train {

// What is given for the plan of a new run: some of its settings. The others are derived.
struct PlanRequest {
  Plan values = {};
  Given given = {};  // the settings that were given
  Recipe recipe = Recipe::best;
  std::optional<model::Family> arch = {};  // else the recipe's
  double flops = default_flops;            // the budget of training, which decides the model's size
  Index longest_context = std::numeric_limits<Index>::max();  // the largest default of block_size
  int processes = 1;  // processes that share an update's micro-batches
};

// The default plan for a text of this length (train/run/defaults.h), with the given settings.
// complete_schedule does the rest. values.dtype must be float32 or bfloat16.
Plan make_plan(const PlanRequest& request, Index characters, Index vocabulary);

// The same for starting from the weights of a model (--init_from). The plan has the model's
// settings, but may have a shorter context and another dropout. `name`: of the model, for messages.
// knows_text: the model was trained on this text; then a quarter of the learning rate keeps most of
// what it knows and ends best (tests/recipes/README.md).
Plan make_fine_tuning_plan(const PlanRequest& request, Index tokens, const model::Config& config,
                           bool knows_text, const std::string& name);

// Unless they were given, derives Muon's weight decay from the text, lr_decay_iters from max_iters,
// and warmup_iters, eval_interval and dropout from lr_decay_iters. (Not from max_iters, so that a
// run that stops before its schedule ends, and is resumed with a larger max_iters, has the weights
// of the run that never stopped.)
void complete_schedule(Plan& plan, const PlanRequest& request, const Corpus& corpus);

// Sets max_iters, and the settings that follow from it, to what fits into --minutes at this speed;
// `spent` seconds of them are over. Adds a note if there are too few.
void fit_to_minutes(const PlanRequest& request, double minutes, double spent, const Speed& speed,
                    const Corpus& corpus, Plan& plan, Notes& notes);

// Throws Error, with the possible numbers of processes, unless they can share the micro-batches of
// an update.
void check_shares(const Plan& plan, int processes);

// Copies to the plan the settings of this kind that were given.
void take_given(const PlanRequest& request, Holds holds, Plan& plan);

}  // namespace train
