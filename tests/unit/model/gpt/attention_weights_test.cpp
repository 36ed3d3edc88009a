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

models::Ids random_ids(Index count) { return models::random_ids(count, 23, 9); }

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && models::same_bits(a.values(), b.values());
}

// Rows sum to 1, and no token sees a later one.
void check_rows(const Tensor& weights, const Config& config, Index T) {
  REQUIRE(weights.shape() == Shape{config.n_head, T, T});
  for (Index h = 0; h < config.n_head; ++h)
    for (Index i = 0; i < T; ++i) {
      INFO("head " << h << ", row " << i);
      double sum = 0;
      bool all_above_0 = true, none_after = true;
      for (Index j = 0; j < T; ++j) {
        const double weight = double(weights.at({h, i, j}));
        sum += weight;
        if (config.causal && j > i)
          none_after &= weight == 0;
        else
          all_above_0 &= weight > 0;
      }
      // Each weight is rounded a few times, and so is the sum that it is divided by.
      CHECK(std::abs(sum - 1) <= eps * (8 + double(T)));
      CHECK(all_above_0);
      CHECK(none_after);
    }
}

// The weights times the values of qkv (1, T, (H + 2 K) D), which the fused op mixed to y.
void check_mixture(const Tensor& weights, const Tensor& qkv, const Tensor& y, const Config& config,
                   Index T) {
  const auto [H, K] = config.heads();
  const Index D = config.head_size();
  const double scale = double(config.scores().scale_of(D));
  const auto at = [&](Index row, Index head, Index d) {
    return double(qkv.at({0, row, head * D + d}));
  };
  for (Index h = 0; h < H; ++h) {
    const Index key_head = H + h / (H / K), value_head = H + K + h / (H / K);
    // A score is a sum of D products; of a row's scores the error of the largest and of its own
    // enter exp. Both ways of computing err so.
    double products = 0, largest = 0;
    for (Index i = 0; i < T; ++i)
      for (Index j = 0; j < T; ++j) {
        double sum = 0;
        for (Index d = 0; d < D; ++d) sum += std::abs(at(i, h, d) * at(j, key_head, d));
        products = std::max(products, sum * scale);
      }
    for (Index j = 0; j < T; ++j)
      for (Index d = 0; d < D; ++d) largest = std::max(largest, std::abs(at(j, value_head, d)));
    const double of_weights = 2 * double(D + 2) * eps * products + double(T + 8) * eps;
    const double tolerance = 2 * largest * of_weights;
    double worst = 0;
    for (Index i = 0; i < T; ++i)
      for (Index d = 0; d < D; ++d) {
        double sum = 0;
        for (Index j = 0; j < T; ++j) sum += double(weights.at({h, i, j})) * at(j, value_head, d);
        worst = std::max(worst, std::abs(sum - double(y.at({0, i, h * D + d}))));
      }
    INFO("head " << h);
    CHECK(worst <= tolerance);
    CHECK(tolerance < 1e-2 * largest);  // else the test would say nothing
  }
}

}  // namespace

TEST_CASE("attention weights: of each layer those that the fused op mixes the values with") {
  for (const auto& [name, config] : cases()) {
    const GPT gpt = model_of(config);
    for (const Index T : {Index(1), Index(2), Index(9), block_size}) {
      const models::Ids ids = random_ids(T);
      const std::vector<Tensor> weights = model::attention_weights(gpt, ids);
      REQUIRE(std::ssize(weights) == config.n_layer);
      // The residual stream, layer by layer.
      Tensor x = gpt.embedded(ids, 1, T, nullptr);
      for (std::size_t layer = 0; layer < gpt.h.size(); ++layer) {
        INFO(name << ", T " << T << ", layer " << layer);
        const model::Block& block = gpt.h[layer];
        const Tensor qkv = block.attn.prepare(block.attn.c_attn(block.ln_1(x)));
        const Tensor y = self_attention(qkv, config.heads(), 0, nullptr, config.scores());
        check_rows(weights[layer], config, T);
        check_mixture(weights[layer], qkv, y, config, T);
        const Tensor after = x + block.attn.c_proj(y);
        x = after + block.mlp(block.ln_2(after));
      }
      INFO(name << ", T " << T);
      // This stream is the model's.
      CHECK(same_bits(linear(gpt.ln_f(x), gpt.head_weight()), gpt.logits(ids, 1, T)));
    }
  }
}

TEST_CASE("attention weights: a token changes no row before it, and all rows if not causal") {
  for (const auto& [name, config] : cases()) {
    const GPT gpt = model_of(config);
    constexpr Index T = 6;
    models::Ids ids = random_ids(T);
    const std::vector<Tensor> before = model::attention_weights(gpt, ids);
    ids.back() = (ids.back() + 1) % 23;
    const std::vector<Tensor> after = model::attention_weights(gpt, ids);
    for (std::size_t layer = 0; layer < before.size(); ++layer)
      for (Index i = 0; i < T; ++i) {
        INFO(name << ", layer " << layer << ", row " << i);
        const bool same =
            same_bits(slice(before[layer], 1, i, i + 1), slice(after[layer], 1, i, i + 1));
        CHECK(same == (config.causal && i + 1 < T));
      }
  }
}

TEST_CASE("attention weights: a text longer than the context is refused") {
  const GPT gpt = model_of(cases()[0].config);
  CHECK_THROWS_WITH(model::attention_weights(gpt, random_ids(block_size + 1)),
                    Catch::Contains("71 positions, expected 1..70"));
}
