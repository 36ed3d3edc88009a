// The norms of a model's weights, and of their gradients, layer by layer: which layers learn fast,
// and whether gradients reach the first ones.
//
// A layer is what the residual stream passes at once: the token embedding wte, the positions wpe,
// h.0.attn with the norm before it, h.0.mlp with the norm before it, ..., ln_f and lm_head.
#pragma once

#include <string>
#include <vector>

#include "nn/module.h"

namespace train {

// The layers' names, in the order of the parameters; and their norms, in that order: the square root
// of the sum of all squares, before clipping.
std::vector<std::string> layer_names(const nn::FlatParameters& parameters);
std::vector<double> weight_norms(const nn::FlatParameters& parameters);
std::vector<double> gradient_norms(const nn::FlatParameters& parameters);

}  // namespace train
