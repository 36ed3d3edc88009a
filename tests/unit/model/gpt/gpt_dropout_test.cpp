// The places of dropout in a GPT, and the sizes that its configuration computes.
#include "engine/base/check.h"
#include "model/gpt/gpt.h"
#include "tests/catch.h"
#include "tests/unit/model/models.h"

using namespace engine;
using model::Config;
using model::GPT;
using models::random_gpt;
using models::same_bits;
using models::sized;

namespace {

// nanoGPT's forward pass, step by step.
Tensor plain_logits(const GPT& gpt, std::span<const std::int32_t> ids, Index B, Index T, double p,
                    Generator& generator) {
  const auto drop = [&](const Tensor& x) { return dropout(x, p, generator); };
  const auto norm = [](const nn::Norm& layer, const Tensor& x) {
    return layer_norm(x, layer.weight, layer.bias);
  };
  const auto project = [](const nn::Linear& layer, const Tensor& x) {
    return linear(x, layer.weight, layer.bias);
  };
  Tensor x = drop(embedding(gpt.wte.weight, ids, {B, T}) + slice(gpt.wpe.weight, 0, 0, T));
  for (const model::Block& block : gpt.h) {
    const Tensor qkv = project(block.attn.c_attn, norm(block.ln_1, x));
    const Tensor context = self_attention(qkv, gpt.config.n_head, p, &generator);
    x = x + drop(project(block.attn.c_proj, context));
    const Tensor hidden =
        activate(gpt.config.activation, project(block.mlp.c_fc, norm(block.ln_2, x)));
    x = x + drop(project(block.mlp.c_proj, hidden));
  }
  return linear(norm(gpt.ln_f, x), gpt.wte.weight);
}

}  // namespace

TEST_CASE("gpt: dropout of embeddings, attention weights and both branches, when it trains") {
  for (const double p : {0.0, 0.3})
    for (const bool bias : {false, true}) {
      const GPT gpt = random_gpt(sized(11, 9, 2, 2, 8, {.dropout = p, .bias = bias}));
      const std::vector<std::int32_t> ids = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7};
      Generator training(7), expected_draws(7);
      const Tensor got = gpt.logits(ids, 2, 7, &training);
      const Tensor expected = plain_logits(gpt, ids, 2, 7, p, expected_draws);
      INFO("p " << p << ", bias " << bias);
      REQUIRE(got.shape() == expected.shape());
      CHECK(same_bits(got.values(), expected.values()));
      CHECK(training.random64() == expected_draws.random64());
      // Without a generator the model is evaluated: nothing drops out.
      const Tensor evaluated = gpt.logits(ids, 2, 7),
                   whole = plain_logits(gpt, ids, 2, 7, 0, training);
      CHECK(same_bits(evaluated.values(), whole.values()));
    }
}

TEST_CASE("gpt config: counts of parameters and operations") {
  for (const model::Family family :
       {model::Family::gpt2, model::Family::llama, model::Family::qwen3})
    for (const Index keys : {0, 1, 2})
      for (const bool tied : {true, false})
        for (const bool bias : {true, false}) {
          Config config = models::of_family(
              family,
              sized(5, 7, 2, 4, 24, {.bias = bias, .n_kv_head = keys, .tie_weights = tied}));
          for (const Index own : {0, 10}) {  // sizes that do not follow from the channels
            config.head_dim = own;
            config.n_inner = 3 * own;
            GPT gpt(config);
            INFO(engine::name_of(family)
                 << " " << keys << " " << tied << " " << bias << " " << own);
            CHECK(config.parameter_count() == nn::parameter_count(gpt));
          }
        }
}

// The ranges are those of the flags: flag_limits_test.cpp.
TEST_CASE(
    "gpt config: a field out of its range, or that does not fit another, is refused by name") {
  const auto with = [](const Config& others, Index heads = 2) {
    return sized(5, 7, 3, heads, 6, others);
  };
  CHECK_NOTHROW(with({}).validate());
  CHECK_NOTHROW(with({.position = nn::PositionKind::rope, .head_dim = 6}, 4).validate());
  const std::pair<Config, const char*> refused[] = {
      {sized(0, 7, 3, 2, 6), "vocab_size: "},
      {sized(5, 7, 3, -1, 6), "n_head: "},
      {sized(5, 7, 1001, 2, 6), "n_layer: "},
      {with({}, 4), "n_head: 6 channels"},
      {with({.n_kv_head = 4}), "n_kv_head: "},
      {with({.position = nn::PositionKind::rope}), "position: rope rotates pairs"},
      {with({.norm_eps = 0}), "norm_eps: "},
      {with({.rope_theta = 0.5}), "rope_theta: "},
      {with({.attention_scale = {1000.5}}), "attention_scale: "},
      {with({.attention_scale = {std::numeric_limits<double>::quiet_NaN()}}), "attention_scale: "},
      {with({.dropout = 1}), "dropout: "}};
  for (const auto& [config, name] : refused)
    CHECK_THROWS_WITH(config.validate(), Catch::StartsWith(name));
}
