// The architecture of a GPT: everything that decides the shapes and the meaning of its weights.
#pragma once

#include "engine/base/real.h"
#include "nn/layers.h"

namespace model {

using engine::Index;

struct Config {
  Index vocab_size = 65;  // V
  Index block_size = 64;  // the longest context, T
  Index n_layer = 4;
  Index n_head = 4;    // H
  Index n_embd = 128;  // C, divisible by H
  double dropout = 0;
  bool bias = false;  // in Linear and LayerNorm layers
  nn::Activation activation = nn::Activation::gelu;

  template <class F>
  void reflect(F&& field) {
    field("vocab_size", vocab_size);
    field("block_size", block_size);
    field("n_layer", n_layer);
    field("n_head", n_head);
    field("n_embd", n_embd);
    field("dropout", dropout);
    field("bias", bias);
    field("activation", activation);
  }

  // Throws engine::Error naming the field that is out of range or does not fit another.
  void validate() const;
  // Trained values of such a model; needs no memory for them.
  Index parameter_count() const;
  // Bytes that training on B sequences of T tokens takes, about: weights, gradients and moments,
  // what the forward pass saves for the backward pass, logits. As a double: it may be anything.
  double training_bytes(Index B, Index T) const;
  // Floating-point operations of the matrix products of one training step on B sequences of T
  // tokens, forward and backward, attention as if dense.
  double step_flops(Index B, Index T) const;

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace model
