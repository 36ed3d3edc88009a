#include "model/gpt/attention_weights.h"

#include "model/base/words.h"

namespace model {
namespace {

// The weights of a block that reads x (1, T, C).
Tensor weights_of(const Block& block, const Tensor& x, const Config& config) {
  const Tensor qkv = block.attn.prepare(block.attn.c_attn(block.ln_1(x)));
  const auto [H, K] = config.heads();
  const Index T = x.shape()[1], D = config.head_size();
  // Heads of queries, or of keys: (1, T, (H + 2 K) D) -> (count, T, D).
  const auto heads = [&](Index first, Index count) {
    const Tensor part = engine::slice(qkv, 2, first * D, (first + count) * D);
    return engine::permute(part.reshape(engine::Shape{T, count, D}), {1, 0, 2});
  };
  // H / K neighboring heads of queries share a head of keys.
  const Tensor keys =
      engine::repeat(heads(H, K).reshape(engine::Shape{K, 1, T, D}), {1, H / K, 1, 1})
          .reshape(engine::Shape{H, T, D});
  return nn::attention(heads(0, H), keys, keys,
                       {.scale = config.attention_scale, .causal = config.causal})
      .weights;
}

}  // namespace

std::vector<Tensor> attention_weights(const GPT& gpt, std::span<const std::int32_t> ids) {
  std::vector<Tensor> weights;
  Tensor x = gpt.embedded(ids, 1, std::ssize(ids), nullptr);
  for (const Block& block : gpt.h) {
    weights.push_back(weights_of(block, x, gpt.config));
    x = block(x, nullptr);
  }
  return weights;
}

}  // namespace model
