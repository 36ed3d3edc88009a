// Attention as a GPT has it: all heads at once, norms and rotation of queries and keys, and the
// cache with which a model writes. Each op is a file of engine/ops/. (With ops.h alone, step by
// step: nn/attention.h.)
#pragma once

#include <optional>
#include <utility>

#include "engine/base/index.h"
#include "engine/random/generator.h"
#include "engine/tensor.h"

namespace engine {

// H heads of queries, K heads of keys and of values; K divides H. K < H: grouped queries (Ainslie
// et al., 2023), where H / K neighboring heads of queries share one head of keys and values.
struct Heads {
  Index queries, keys;
  Heads(Index all) : queries(all), keys(all) {}
  Heads(Index queries_, Index keys_) : queries(queries_), keys(keys_) {}
};

// --- qk_norm.cpp ---------------------------------------------------------------------------------
// qkv (..., (H + 2K) D) with rms_norm of every head of queries, with q_weight (D), and of every
// head of keys, with k_weight (D); values stay as they are (Henry et al., 2020; used by Qwen3) ->
// (..., (H + 2K) D).
Tensor qk_norm(const Tensor& qkv, Heads heads, const Tensor& q_weight, const Tensor& k_weight,
               double epsilon = 1e-5);

// --- rope.cpp ------------------------------------------------------------------------------------
// Rotary position embedding (Su et al., 2021). x (..., T, heads * D), one head after another; the
// first `rotated` heads are rotated by the angle of their position. angles: by rope_angles; x's
// first position uses row `first`. The result has the shape of x.
Tensor rope(const Tensor& x, const Tensor& angles, Index rotated, Index first = 0);
// -> (positions, D): for i < D/2 the cosines, then the sines, of the angles position base^(-2i/D).
Tensor rope_angles(Index positions, Index D, double base = 10'000);

// --- attention.cpp -------------------------------------------------------------------------------
// How scores are computed: scale Q K^T, which softmax turns into the attention weights.
struct AttentionScores {
  std::optional<double> scale = {};  // 1 / sqrt D if not given
  bool causal = true;                // query i sees keys 0..i only; false: all keys
  real scale_of(Index D) const;
};

// Self-attention of all heads: qkv (B, T, (H + 2K) D) -> (B, T, H D), causal unless `scores` say
// otherwise. The last axis of qkv is the heads of queries, then of keys, then of values, D features
// each. Dropout of the weights with probability p draws from the generator, which
// may be null if p = 0 (evaluation).
Tensor self_attention(const Tensor& qkv, Heads heads, double p = 0, Generator* generator = nullptr,
                      const AttentionScores& scores = {});

// The keys and values of a sequence's first `size` positions, kept so that the next position costs
// one row and not the whole sequence again. Keys lie transposed, as gemm reads them, in panels of
// 128 positions. (As rows, like values, a token of GPT-2 at position 1000 takes 4 % longer.)
// A copy would share them but keep its own `size`; a clone has keys and values of its own.
struct KvCache {
  static constexpr Index panel = 128;
  KvCache(Heads heads, Index D, Index capacity)
      : keys(Tensor::uninitialized({heads.keys, ceil_div(capacity, panel), D, panel})),
        values(Tensor::uninitialized({heads.keys, capacity, D})) {}
  KvCache(KvCache&&) = default;
  KvCache& operator=(KvCache&&) = default;
  KvCache clone() const { return {keys.clone(), values.clone(), size}; }
  Tensor keys, values;
  Index size = 0;

 private:
  KvCache(Tensor keys_, Tensor values_, Index size_)
      : keys(std::move(keys_)), values(std::move(values_)), size(size_) {}
};
// Self-attention in evaluation, for positions that follow the ones in the cache; adds their keys
// and values to the cache. qkv (1, T, (H + 2K) D) -> (1, T, H D).
Tensor cached_self_attention(const Tensor& qkv, Heads heads, const AttentionScores& scores,
                             KvCache& cache);

}  // namespace engine
