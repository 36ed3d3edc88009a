// Which token looks at which: the attention weights of every head, for inspecting a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/gpt/gpt.h"

namespace model {

// ids (T), at most block_size of them -> for each layer its weights (H, T, T): row i of a head
// holds the weights with which token i takes each token's value; a row sums to 1. Computed step by
// step by nn::attention; the model itself uses the fused op, which never stores the weights.
std::vector<Tensor> attention_weights(const GPT& gpt, std::span<const std::int32_t> ids);

}  // namespace model
