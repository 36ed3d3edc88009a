// Attention (Vaswani et al., 2017). attention() and Attention have one head. They take keys and
// values from the queries' sequence (self-attention) or another one (cross-attention), compute
// every step with its own op, as tutorials do, and return the weights. CausalSelfAttention is
// GPT's: several heads, one fused op.
#pragma once

#include <optional>

#include "engine/attention.h"
#include "nn/layers.h"

namespace nn {

struct AttentionOptions {
  std::optional<double> scale = {};  // of the scores; 1 / sqrt(d_k) if not given
  bool causal = false;               // query i sees keys 0..i only
  Dropout dropout = {};              // of the weights
};

struct AttentionResult {
  Tensor context;  // (..., n, d_v)
  Tensor weights;  // (..., n, m): row i holds the weights of the m values for query i
};

// softmax(scale Q K^T) V: query (..., n, d_k), key (..., m, d_k), value (..., m, d_v). generator
// null: evaluation, no dropout.
AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const AttentionOptions& options = {}, Generator* generator = nullptr);

// attention() on trained projections: Q = x W_query^T, K = c W_key^T, V = c W_value^T, with x
// (..., n, d_in) and the context c (..., m, d_context); c = x if not given. generator null:
// evaluation, no dropout.
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

// How a model knows the positions of its tokens: learned, an embedding of each position is added to
// the token's embedding; rope, queries and keys are rotated by their position.
enum class PositionKind { learned, rope };

// Changes queries and keys before their product; GPT-2 changes nothing. With norms, each head of
// queries and of keys is normalized (Henry et al., 2020; used by Qwen3). With angles, each is
// rotated by its position (engine::rope). qkv (..., T, (H + 2K) D) -> the same shape; its first row
// is at position `first`.
struct QueriesAndKeys {
  engine::Heads heads = 1;
  RMSNorm q_norm, k_norm;  // of D channels, or absent
  Tensor angles;           // engine::rope_angles, or absent
  Tensor operator()(const Tensor& qkv, Index first = 0) const;
};

// GPT's attention, (B, T, C) -> (B, T, C): one projection to queries, keys and values of all heads,
// causal attention (unless `scores` say otherwise) in each head of D channels, concatenation of the
// heads, and an output projection. generator null: evaluation, no dropout. cache: this layer's
// cache, if x (1, T, C) follows the positions in it; evaluation only.
struct CausalSelfAttention {
  Linear c_attn, c_proj;  // ((H + 2K) D, C) and (C, H D), nanoGPT's names
  QueriesAndKeys prepare;
  engine::AttentionScores scores;
  double weight_dropout = 0;  // of the attention weights
  Dropout dropout;            // of the output
  CausalSelfAttention() = default;
  // head_size 0: D = C / H.
  CausalSelfAttention(Index channels, engine::Heads heads, bool with_bias, double dropout_p,
                      Index head_size = 0);
  Tensor operator()(const Tensor& x, Generator* generator = nullptr,
                    engine::KvCache* cache = nullptr) const;
  void reflect(Reflector& r);
};

}  // namespace nn

template <>
inline constexpr auto engine::names_of<nn::PositionKind> = engine::names("learned", "rope");
