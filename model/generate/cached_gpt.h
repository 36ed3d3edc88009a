// A GPT for generating text, with a key-value cache: attention's keys and values of the tokens read
// so far are kept instead of computed again. So a token costs one pass over the weights, which are
// packed once, in the order in which gemm reads them.
//
// The logits equal those of GPT::logits bit for bit, though weights are packed and keys cached:
// norms, activations and sums work on each row alone; an element of a product is summed in an order
// that depends on K only (gemm.h); softmax runs over the visible keys only; and weights times
// values goes by tiles of 256 keys from key 0, each within one block of gemm, where keys after the
// query add 0 (kernels/attention.h).
//
// If not causal, a token changes every position before it, so all are computed again.
#pragma once

#include <span>
#include <vector>

#include "engine/kernels/gemm/gemm.h"
#include "model/gpt/gpt.h"

namespace model {

using engine::real;

// The keys and values of one layer's attention, for up to `capacity` positions.
class KvCache {
 public:
  KvCache(engine::Heads heads, Index head_size, Index capacity,
          const engine::AttentionScores& scores);

  void clear() { size_ = 0; }

  // Attention for the next n positions: qkv (n, (H + 2K) D), their queries, keys and values
  // -> (n, H D). Adds their keys and values to the cache.
  Tensor attend(const Tensor& qkv);

 private:
  void add(Index key_head, const Tensor& qkv);
  void attend(Index head, const Tensor& qkv, const Tensor& y) const;
  Index group() const { return heads_.queries / heads_.keys; }

  engine::Heads heads_;
  Index head_size_, capacity_;
  engine::AttentionScores scores_;
  // Keys lie transposed, as gemm reads them, in panels of 128 positions:
  // (K, panels, head_size, panel). Values: (K, capacity, head_size rounded up to vectors).
  static constexpr Index panel = 128;
  Index padded_size_, key_panels_;
  engine::Buffer keys_, values_;
  Index size_ = 0;  // positions in the cache
};

class CachedGPT {
 public:
  // Takes the model over: a weight is freed once it is packed, unless another handle shares it.
  explicit CachedGPT(GPT gpt);

  const Config& config() const { return config_; }
  void clear();  // forgets the tokens read

  // Reads the next tokens, at least one; at most block_size fit between two calls of clear().
  // Returns the logits (V) for the token after them, valid until the next call.
  std::span<const real> read(std::span<const std::int32_t> ids);

 private:
  struct PackedLinear {
    engine::kernels::PackedMatrix weight;
    Tensor bias;
    explicit PackedLinear(nn::Linear& layer);
    Tensor operator()(const Tensor& x) const;
  };
  struct CachedBlock {
    nn::Norm ln_1;
    PackedLinear c_attn;
    nn::QueriesAndKeys prepare;
    KvCache cache;
    PackedLinear attn_proj;
    nn::Norm ln_2;
    PackedLinear c_fc, mlp_proj;
    nn::Activation activation;
    Tensor operator()(const Tensor& x, Index first);  // x's first row is at position `first`
  };

  Config config_;
  nn::Embedding wte_, wpe_;
  std::vector<CachedBlock> blocks_;
  nn::Norm ln_f_;
  engine::kernels::PackedMatrix head_;
  Tensor logits_;
  Index size_ = 0;                 // tokens read since clear()
  std::vector<std::int32_t> ids_;  // those tokens, if not causal
};

}  // namespace model
