// How far an update moves the weights, layer by layer: the norm of the update over that of the
// weights. About 1/1000 is usual with AdamW; much more is unstable, much less learns nothing.
//
// A layer is what the residual stream passes at once: the token embedding wte, the positions wpe,
// h.0.attn with the norm before it, h.0.mlp with the norm before it, ..., ln_f and lm_head.
#pragma once

#include <string>
#include <vector>

#include "nn/module.h"

namespace train {

struct LayerUpdate {
  std::string layer;
  double ratio;
};

// `before`: all weights before the update (weights_of); in the order of the parameters.
std::vector<LayerUpdate> layer_updates(const nn::FlatParameters& parameters,
                                       std::vector<engine::real> before);
std::vector<engine::real> weights_of(const nn::FlatParameters& parameters);

}  // namespace train
