// The architecture of a GPT: everything that decides the shapes and the meaning of its weights.
#pragma once

#include "engine/base/real.h"
#include "model/format/setting.h"
#include "nn/layers.h"

namespace model {

using engine::Index;

struct Config {
  Index vocab_size = 65;  // V
  Index block_size = 64;  // longest context, in tokens
  Index n_layer = 4;
  Index n_head = 4;    // H
  Index n_embd = 128;  // C, divisible by H
  double dropout = 0;
  bool bias = false;  // in Linear and LayerNorm layers
  nn::Activation activation = nn::Activation::gelu;

  // Throws engine::Error naming the field that is out of range or does not fit another.
  void validate() const;
  // Number of trained values (the tied head counted once), computed from the sizes alone.
  Index parameter_count() const;
  // Approximate bytes of memory for training on B sequences of T tokens: weights, gradients,
  // moments, activations saved for the backward pass, logits. May exceed 63 bits: a double.
  double training_bytes(Index B, Index T) const;
  // Floating-point operations of the matrix products of one training step on B sequences of T
  // tokens, forward and backward, attention as if dense.
  double step_flops(Index B, Index T) const;

  friend bool operator==(const Config&, const Config&) = default;
};

// The bounds keep parameter_count() within 63 bits.
inline constexpr Setting<Config> config_settings[] = {
    {"vocab_size", &Config::vocab_size, {1, 1 << 24}, "N", no_default, "distinct tokens"},
    {"n_layer",
     &Config::n_layer,
     {1, 1000},
     "N",
     "from the text's size",
     "transformer blocks, one after another"},
    {"n_head",
     &Config::n_head,
     {1, 65'536},
     "N",
     "from the text's size",
     "attention heads in each block; must divide n_embd"},
    {"n_embd",
     &Config::n_embd,
     {1, 65'536},
     "N",
     "from the text's size",
     "channels: how many numbers represent one position"},
    {"block_size",
     &Config::block_size,
     {1, 1'048'576},
     "N",
     "from the text's size",
     "context length: how many tokens the model sees at most"},
    {"dropout",
     &Config::dropout,
     {0, 1, false, true},
     "P",
     "",
     "probability with which an activation is set to 0 in training, against overfitting"},
    {"bias", &Config::bias, {}, "true|false", "", "biases in linear layers and layer norms"},
    {"activation",
     &Config::activation,
     {},
     "gelu|gelu_tanh|relu",
     "",
     "function between the two linear layers of a block's feed-forward part"},
};

}  // namespace model
