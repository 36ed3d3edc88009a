// A model and a schedule that suit a text.
#pragma once

#include "train/loop/plan.h"

namespace train {

// What training may cost when nothing is said about time: a minute or two on two cores.
inline constexpr double default_flops = 2e13;

// The plan for a text of so many tokens of a vocabulary, before any flag is applied: the largest model that has
// enough text to learn from and whose training costs at most so many floating-point operations.
// From sizes alone, so the same text gives the same plan on every machine.
Plan default_plan(Index tokens, Index vocabulary, double flops = default_flops);

}  // namespace train
