// The default model and schedule for a text.
#pragma once

#include "train/loop/plan.h"

namespace train {

// Cost of training without --minutes, in floating-point operations: a minute or two on two cores.
inline constexpr double default_flops = 2e13;

// The plan for a text of so many characters, whatever its tokens are, before any flag is applied: the
// largest model for which the text is long enough and whose training costs at most `flops`
// floating-point operations. It depends on sizes only, so the same text gives the same plan on every
// machine.
Plan default_plan(Index characters, Index vocabulary, Recipe recipe, double flops = default_flops);

// The plan for going on with the weights of a model on a text of so many tokens: AdamW, and the
// text read three times if that costs no more than `flops`.
Plan fine_tuning_plan(const model::Config& config, Index tokens, Recipe recipe,
                      double flops = default_flops);

// How far so many updates go towards knowing a training text of so many tokens by heart: how often
// the text is read, times the weights for each token. Measured in tests/recipes/README.md, as are
// the best recipe's dropout and Muon's weight decay, which follow from it.
double overfitting(const Plan& plan, Index updates, Index tokens);
double dropout_for(double overfitting);
double weight_decay_for(double overfitting);

// The learning rate for an optimizer other than the recipe's.
double learning_rate_of(const Plan& plan);

}  // namespace train
