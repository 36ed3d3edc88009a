// GPT-2's architecture as nanoGPT defines it: token and position embeddings, n_layer blocks of
// attention and feed-forward, each behind a layer norm and added to the stream, a final norm, and
// a head that shares its weight with the token embedding (Press and Wolf, 2017).
#pragma once

#include <span>
#include <vector>

#include "model/gpt/config.h"
#include "nn/attention.h"

namespace model {

using engine::Generator;
using engine::Tensor;

// x + attn(ln_1(x)), then + mlp(ln_2(.)): (B, T, C) -> (B, T, C)
struct Block {
  nn::LayerNorm ln_1;
  nn::CausalSelfAttention attn;
  nn::LayerNorm ln_2;
  nn::FeedForward mlp;
  explicit Block(const Config& config);
  Tensor operator()(const Tensor& x, Generator* dropout) const;
  void reflect(nn::Reflector& r);
};

struct GPT {
  Config config;
  nn::Embedding wte, wpe;  // tokens (V, C), which is also the head, and positions (block_size, C)
  nn::Dropout drop;
  std::vector<Block> h;
  nn::LayerNorm ln_f;

  // All weights 0 (norms 1): initialise, or load. Throws what Config::validate throws.
  explicit GPT(const Config& config_);

  // ids: B sequences of T tokens, T <= block_size -> (B, T, V). With a generator the model trains
  // and drops out; without one (null) it does not.
  Tensor logits(std::span<const std::int32_t> ids, Index B, Index T,
                Generator* dropout = nullptr) const;
  // Mean cross-entropy in nats against targets (B T), -1 where a target does not count.
  Tensor loss(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, Index B,
              Index T, Generator* dropout = nullptr) const;

  // Parameters under nanoGPT's names, the tied head once.
  void reflect(nn::Reflector& r);

 private:
  Tensor features(std::span<const std::int32_t> ids, Index B, Index T, Generator* dropout) const;
};

// nanoGPT's initial weights: N(0, 0.02), the projections back into the stream N(0, 0.02 / sqrt(2
// n_layer)), biases 0; drawn in its order, PyTorch's default draws that it discards included, so
// that the same seed gives the same weights.
void initialise(GPT& gpt, Generator& generator);

}  // namespace model
