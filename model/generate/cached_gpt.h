// A GPT that writes: it reads its text token by token, and what attention needs of the tokens read
// before, their keys and values, it keeps instead of computing them again. So a token costs one
// pass over the weights, which are packed once, in the order in which gemm reads them.
//
// Its logits are GPT::logits' to the last bit: they come from the same operations, none of which
// lets one position's result depend on how many others are computed beside it.
#pragma once

#include <span>
#include <vector>

#include "engine/kernels/gemm/gemm.h"
#include "model/gpt/gpt.h"

namespace model {

using engine::real;

// The keys and values of one layer, for up to `capacity` positions.
class KvCache {
 public:
  KvCache(Index heads, Index head_size, Index capacity);

  Index size() const { return size_; }  // positions
  void clear() { size_ = 0; }

  // Causal attention for the n positions that follow those read so far. qkv (n, 3C) holds their
  // queries, keys and values; keys and values are added to the cache. -> (n, C)
  Tensor attend(const Tensor& qkv);

 private:
  void add(Index head, const Tensor& qkv);
  void attend(Index head, const Tensor& qkv, const Tensor& y) const;

  Index heads_, head_size_, capacity_;
  // Keys lie as gemm reads them, turned and in panels of so many positions:
  // (heads, panels, head_size, panel). Values: (heads, capacity, head_size rounded up to vectors).
  static constexpr Index panel = 128;
  Index padded_size_, key_panels_;
  engine::Buffer keys_, values_;
  Index size_ = 0;
};

class CachedGPT {
 public:
  // Takes the model over: weights that nobody else holds are freed as they are packed.
  explicit CachedGPT(GPT gpt);

  const Config& config() const { return config_; }
  Index size() const { return size_; }  // tokens read
  void clear();                         // forgets them

  // Reads the tokens that follow those read so far, at least one, block_size in all at most.
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
    nn::LayerNorm ln_1;
    PackedLinear c_attn;
    KvCache cache;
    PackedLinear attn_proj;
    nn::LayerNorm ln_2;
    PackedLinear c_fc, mlp_proj;
    nn::Activation activation;
    Tensor operator()(const Tensor& x);
  };

  Config config_;
  nn::Embedding wte_, wpe_;
  std::vector<CachedBlock> blocks_;
  nn::LayerNorm ln_f_;
  engine::kernels::PackedMatrix head_;
  Tensor logits_;
  Index size_ = 0;
};

}  // namespace model
