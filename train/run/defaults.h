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

// The dropout of the best recipe for a training text of so many tokens that is read `epochs` times:
// the more weights there are for each token, the sooner a model knows its text by heart
// (tests/recipes/README.md).
double dropout_for(double epochs, Index parameters, Index tokens);

// The learning rate for an optimizer other than the recipe's.
double learning_rate_of(const Plan& plan);

}  // namespace train
