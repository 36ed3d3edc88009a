// Attention weights for inspection are those that the model's fused op uses but never stores.
#include "model/gpt/attention_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/catch.h"
#include "tests/unit/model/models.h"

using namespace engine;
using model::Config;
using model::GPT;

namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();
constexpr Index block_size = 70;  // the fused op computes 64 queries at a time

struct Case {
  const char* name;
  Config config;
};

std::vector<Case> cases() {
  const Config gpt2 = models::sized(23, block_size, 3, 2, 12, {.bias = true});
  Config llama = gpt2;
  set_architecture(llama, model::Family::llama);
  llama.n_head = 6;
  llama.n_kv_head = 2;
  llama.head_dim = 4;
  Config qwen3 = llama;
  set_architecture(qwen3, model::Family::qwen3);
  qwen3.n_kv_head = 3;
  Config unscaled = gpt2, both_ways = llama;
  unscaled.attention_scale = {1};
  both_ways.causal = false;
  both_ways.attention_scale = {0.125};
  return {{"gpt2", gpt2},
          {"llama, grouped heads", llama},
          {"qwen3", qwen3},
          {"unscaled", unscaled},
          {"not causal", both_ways}};
}

GPT model_of(const Config& config) {
  GPT gpt(config);
  Generator generator(5);
  initialize(gpt, generator, 0.4);
  // Norms of queries and keys that differ from 1.
  for (model::Block& block : gpt.h)
    for (const Tensor& weight :
         {block.attn.prepare.q_norm.weight, block.attn.prepare.k_norm.weight})
      if (weight) generator.uniform(weight.mutable_values(), 0.5, 1.5);
  return gpt;
}

// The weights (H, T, T) of the queries and keys in qkv (1, T, (H + 2 K) D), by their definition. No
// token sees a later one.
void check_weights(const Tensor& weights, const Tensor& qkv, const Config& config) {
  const auto [H, K] = config.heads();
  const Index T = qkv.shape()[1], D = config.head_size();
  const double scale = double(config.scores().scale_of(D));
  REQUIRE(weights.shape() == Shape{H, T, T});
  for (Index h = 0; h < H; ++h)
    for (Index i = 0; i < T; ++i) {
      std::vector<double> expected(static_cast<std::size_t>(T));
      double sum = 0, largest = 0;  // of the sizes of a score's products
      for (Index j = 0; j < (config.causal ? i + 1 : T); ++j) {
        double score = 0, size = 0;
        for (Index d = 0; d < D; ++d) {
          const double product =
              double(qkv.at({0, i, h * D + d})) * double(qkv.at({0, j, (H + h / (H / K)) * D + d}));
          score += product * scale;
          size += std::abs(product * scale);
        }
        largest = std::max(largest, size);
        sum += expected[static_cast<std::size_t>(j)] = std::exp(score);
      }
      double off = 0;
      bool none_after = true;
      for (Index j = 0; j < T; ++j) {
        const double weight = double(weights.at({h, i, j}));
        off = std::max(off, std::abs(weight - expected[static_cast<std::size_t>(j)] / sum));
        none_after &= !config.causal || j <= i || weight == 0;
      }
      // A score is a sum of D products; the error of the row's largest and its own enter exp. The
      // weight is then rounded a few times, and so is the sum of T that it is divided by. In double
      // this loop errs so too.
      const double tolerance = 2 * eps * (2 * double(D + 2) * largest + double(T + 8));
      INFO("head " << h << ", row " << i);
      CHECK(off <= tolerance);
      CHECK(tolerance < 1e-2);  // else the test would say nothing
      CHECK(none_after);
    }
}

}  // namespace

TEST_CASE("attention weights: of each layer the softmax of its queries' scores") {
  for (const auto& [name, config] : cases()) {
    const GPT gpt = model_of(config);
    for (const Index T : {Index(1), Index(2), Index(9), block_size}) {
      const models::Ids ids = models::random_ids(T, 23, 9);
      const std::vector<Tensor> weights = model::attention_weights(gpt, ids);
      REQUIRE(std::ssize(weights) == config.n_layer);
      // The residual stream, layer by layer.
      Tensor x = gpt.embedded(ids, 1, T, nullptr);
      for (std::size_t layer = 0; layer < gpt.h.size(); ++layer) {
        INFO(name << ", T " << T << ", layer " << layer);
        const model::Block& block = gpt.h[layer];
        const Tensor qkv = block.attn.prepare(block.attn.c_attn(block.ln_1(x)));
        const Tensor y = self_attention(qkv, config.heads(), 0, nullptr, config.scores());
        check_weights(weights[layer], qkv, config);
        const Tensor after = x + block.attn.c_proj(y);
        x = after + block.mlp(block.ln_2(after));
      }
      INFO(name << ", T " << T);
      // This stream is the model's.
      const Tensor logits = linear(gpt.ln_f(x), gpt.head_weight()), all = gpt.logits(ids, 1, T);
      CHECK(models::same_bits(logits.values(), all.values()));
    }
  }
}
