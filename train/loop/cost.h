// What a model costs, computed from its sizes alone: memory, and the arithmetic of a step.
#pragma once

#include "engine/base/index.h"
#include "model/gpt/config.h"

namespace train {

// Approximate bytes of memory for the forward and backward pass of B sequences of T tokens, without
// weights and gradients. A double, since it may exceed 63 bits.
double activation_bytes(const model::Config& config, engine::Index B, engine::Index T);
// The same for a forward pass alone, which saves nothing for backward; without weights and logits.
double forward_bytes(const model::Config& config, engine::Index B, engine::Index T);
// Floating-point operations of the matrix products of one training step on B sequences of T tokens,
// forward and backward, attention as if dense.
double step_flops(const model::Config& config, engine::Index B, engine::Index T);

}  // namespace train
