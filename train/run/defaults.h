// The default model and schedule for a text.
#pragma once

#include "train/loop/plan.h"

namespace train {

// Cost of training without --minutes, in floating-point operations: a minute or two on two cores.
inline constexpr double default_flops = 2e13;

// The plan for a text of so many tokens, before any flag is applied: the largest model for which
// the text is long enough and whose training costs at most `flops` floating-point operations. It
// depends on sizes only, so the same text gives the same plan on every machine.
Plan default_plan(Index tokens, Index vocabulary, double flops = default_flops);

}  // namespace train
