// Attention (Vaswani et al., 2017), in the two forms people meet it.
//
// attention() and Attention are the tutorials': queries from one sequence, keys and values from
// the same one (self-attention) or another (cross-attention), every step an op of its own, and the
// weights returned on request. CausalSelfAttention is GPT's: several heads, one fused op.
#pragma once

#include <optional>

#include "nn/layers.h"

namespace nn {

struct AttentionOptions {
  std::optional<double> scale = {};  // scores are multiplied by it; 1 / sqrt(d_k) if not given
  bool causal = false;               // query i sees keys 0..i only
  Dropout dropout = {};              // of the weights
};

struct AttentionResult {
  Tensor context;  // (..., n, d_v)
  Tensor weights;  // (..., n, m): row i says how much query i takes from each of the m values
};

// softmax(scale Q K^T) V: query (..., n, d_k), key (..., m, d_k), value (..., m, d_v).
AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const AttentionOptions& options = {}, Generator* generator = nullptr);

// The same with trained projections: Q = x W_query^T, K = c W_key^T, V = c W_value^T, where x is
// (..., n, d_in) and c, the context that is looked at, (..., m, d_context); c = x if not given.
struct Attention {
  Linear W_query, W_key, W_value;
  AttentionOptions options;
  Attention() = default;
  Attention(Index d_in, Index d_context, Index d_k, Index d_v, bool with_bias = false,
            AttentionOptions options_ = {});
  AttentionResult operator()(const Tensor& x, const Tensor& context,
                             Generator* generator = nullptr) const;
  AttentionResult operator()(const Tensor& x, Generator* generator = nullptr) const {
    return (*this)(x, x, generator);
  }
  void reflect(Reflector& r);
};

// GPT's attention: one projection to queries, keys and values of all heads, causal attention in
// each head of C / heads channels, the heads side by side again, and an output projection.
// (B, T, C) -> (B, T, C)
struct CausalSelfAttention {
  Linear c_attn, c_proj;  // (3C, C) and (C, C), nanoGPT's names
  Index heads = 1;
  double weight_dropout = 0;  // of the attention weights
  Dropout dropout;            // of the output
  CausalSelfAttention() = default;
  CausalSelfAttention(Index channels, Index heads_, bool with_bias, double dropout_p);
  Tensor operator()(const Tensor& x, Generator* generator = nullptr) const;
  void reflect(Reflector& r);
};

}  // namespace nn
