// GPT-2's architecture as nanoGPT defines it: token and position embeddings, n_layer blocks of
// attention and feed-forward, each after a layer norm and added to the residual stream, a final
// norm, and a head that shares its weight with the token embedding (Press and Wolf, 2017).
//
// Config's switches turn it into later families: rotary positions, RMS norms, SwiGLU (Llama), norms
// of queries and keys (Qwen3), grouped queries, a head with its own weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/base/words.h"
#include "model/gpt/config.h"
#include "nn/attention.h"

namespace model {

using engine::Generator;
using engine::Tensor;

// y = x + attn(ln_1(x)), then y + mlp(ln_2(y)): (B, T, C) -> (B, T, C)
struct Block {
  nn::Norm ln_1;
  nn::CausalSelfAttention attn;
  nn::Norm ln_2;
  nn::FeedForward mlp;
  // angles: made by rope_angles, or absent.
  Block(const Config& config, const Tensor& angles);
  Tensor operator()(const Tensor& x, Generator* dropout_generator,
                    engine::KvCache* cache = nullptr) const;
  void reflect(nn::Reflector& r);
};

// The keys and values of the tokens that a GPT has read, at most block_size, for the attention of
// each block.
struct Cache {
  std::vector<engine::KvCache> blocks;
  explicit Cache(const Config& config);
  Cache(Cache&&) = default;
  Cache& operator=(Cache&&) = default;
  Cache clone() const;
  Index size() const { return blocks.empty() ? 0 : blocks[0].size; }  // tokens
  void clear();

 private:
  Cache() = default;
};

struct GPT {
  Config config;
  nn::Embedding wte, wpe;  // tokens (V, C), and positions (block_size, C), absent with rope
  nn::Dropout drop;
  std::vector<Block> h;
  nn::Norm ln_f;
  nn::Linear lm_head;  // (V, C); absent if tied: wte's weight

  // All weights are 0 (those of norms 1) until `initialize` or load_model sets them. Throws
  // Error if config.validate() does.
  explicit GPT(const Config& config_);

  // ids (B T): B sequences of T <= block_size tokens -> (B, T, V). Dropout draws its masks from the
  // generator; null: evaluation, no dropout.
  Tensor logits(std::span<const std::int32_t> ids, Index B, Index T,
                Generator* dropout_generator = nullptr) const;
  // Mean cross-entropy in nats against targets (B T); targets of -1 are ignored.
  Tensor loss(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, Index B,
              Index T, Generator* dropout_generator = nullptr) const;

  // Generation: reads the next tokens, at least one, which follow those in the cache, and adds them
  // to it. Returns the logits (1, 1, V) of the token after them. For a causal model they are, bit
  // for bit, the last row of logits() for all tokens at once. (Each row is computed by itself, and
  // a product sums in an order that depends on its depth only, see gemm.h.)
  Tensor next_logits(std::span<const std::int32_t> ids, Cache& cache) const;
  // Packs the matrices, for generation: a token then costs one pass over weights that lie in the
  // order in which they are read. Afterwards the model cannot be trained or saved.
  void pack();

  // The first block's input, (B, T, C): the embeddings of the tokens, plus the embeddings of their
  // positions from `first` on if positions are learned.
  Tensor embedded(std::span<const std::int32_t> ids, Index B, Index T, Generator* dropout_generator,
                  Index first = 0) const;

  // The head's input, (B, T, C). cache: as in next_logits, with B = 1; null in training.
  Tensor features(std::span<const std::int32_t> ids, Index B, Index T,
                  Generator* dropout_generator = nullptr, Cache* cache = nullptr) const;
  // (..., C) -> (..., V)
  Tensor head(const Tensor& x) const;
  const Tensor& head_weight() const { return lm_head.weight ? lm_head.weight : wte.weight; }

  // Parameters under nanoGPT's names; the tied head's weight only once, as transformer.wte.weight.
  void reflect(nn::Reflector& r);
};

// Copies the weights of a model to one of the same architecture and sizes; throws Error if they
// differ. The context of `to` may be shorter: then the last position embeddings are left out.
void copy_weights(GPT& from, GPT& to);

// nanoGPT's initial weights (there `deviation` is 0.02): normal, with the standard deviation times
// 1 / sqrt(2 n_layer) for projections into the residual stream; biases 0. Drawn in nanoGPT's order,
// including PyTorch's default weights that nanoGPT discards: the same seed gives the same weights.
void initialize(GPT& gpt, Generator& generator, double deviation = 0.02);

}  // namespace model
