// A model and a schedule that suit a text, from its size alone: the same text gives the same plan
// on every machine.
#pragma once

#include "train/plan.h"

namespace train {

// The plan for a text of so many tokens, before any flag is applied. The architecture's vocabulary
// is left to the tokenizer.
Plan default_plan(Index tokens);

}  // namespace train
