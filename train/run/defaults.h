// The default model and schedule for a text.
#pragma once

#include "train/loop/plan.h"
#include "train/system/words.h"

namespace train {

// Cost of training without --minutes, in floating-point operations: a minute or two on two cores.
inline constexpr double default_flops = 2e13;

// Copies the recipe's settings, which do not depend on the text, to the plan.
void take_recipe(Recipe recipe, Plan& plan);

// The plan for a text of `characters` characters, before any flag is applied: the largest model for
// which the text is long enough and training costs at most `flops` floating-point operations. It
// depends on sizes only, so the same text gives the same plan on every machine.
Plan default_plan(Index characters, Index vocabulary, Recipe recipe, double flops = default_flops);

// The plan for training a model further on a text of `tokens` tokens: AdamW, and the text is read
// three times if that costs no more than `flops`.
Plan fine_tuning_plan(const model::Config& config, Index tokens, Recipe recipe,
                      double flops = default_flops);

// How much a run is likely to overfit: how often its updates read the training text, times the
// weights per token of the text. The best recipe's dropout follows from it, as measured in
// tests/recipes/README.md.
double overfitting(const Plan& plan, Index updates, Index tokens);
double dropout_for(double overfitting);

// Muon's weight decay for a training text of `tokens` tokens. An update keeps 1 - rate * decay of a
// weight, so weights are a mean over the last 1 / (rate * decay) updates: two thirds of a reading
// of the text, at the highest rate (Wang and Aitchison, 2024, on why it is a number of readings;
// measured in tests/recipes/README.md). Between 0.1 and 1.
double weight_decay_for(const Plan& plan, Index tokens);

// The learning rate for an optimizer other than the recipe's.
double learning_rate_of(const Plan& plan);

}  // namespace train
