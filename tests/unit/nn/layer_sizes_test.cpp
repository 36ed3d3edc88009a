// Each layer with sizes that are all different: its parameters in order, with their names and shapes, and the
// shape of what it returns.
#include "model/gpt/gpt.h"
#include "nn/attention.h"
#include "tests/catch.h"

using engine::joined;
using engine::Shape;
using engine::Tensor;

namespace {

std::string parameters_of(auto module) {
  std::string text;
  for (const nn::NamedParameter& p : nn::parameters(module))
    text += joined(text.empty() ? "" : ", ", p.name, ' ', p.tensor.shape());
  return text;
}

model::GPT gpt_of(model::Family family, bool bias, bool tied) {
  model::Config config{.vocab_size = 17, .block_size = 9, .n_layer = 1, .n_head = 6, .n_embd = 20};
  config.bias = bias;
  config.n_kv_head = 2;
  config.head_dim = 4;
  config.n_inner = 30;
  config.tie_weights = tied;
  set_architecture(config, family);
  return model::GPT(config);
}

}  // namespace

TEST_CASE("layers: the parameters of each, by name, order and shape, all sizes different") {
  CHECK(parameters_of(nn::Linear(3, 5)) == "weight (5, 3), bias (5)");
  CHECK(parameters_of(nn::Linear(3, 5, false)) == "weight (5, 3)");
  CHECK(parameters_of(nn::Embedding(7, 4)) == "weight (7, 4)");
  CHECK(parameters_of(nn::LayerNorm(6)) == "weight (6), bias (6)");
  CHECK(parameters_of(nn::RMSNorm(6)) == "weight (6)");
  CHECK(parameters_of(nn::Attention(2, 3, 5, 7, true)) ==
        "W_query.weight (5, 2), W_query.bias (5), W_key.weight (5, 3), W_key.bias (5), "
        "W_value.weight (7, 3), W_value.bias (7)");
  CHECK(parameters_of(nn::Attention(2, 3, 5, 7)) ==
        "W_query.weight (5, 2), W_key.weight (5, 3), W_value.weight (7, 3)");
  CHECK(parameters_of(nn::CausalSelfAttention(12, {6, 2}, true, 0, 5)) ==
        "c_attn.weight (50, 12), c_attn.bias (50), c_proj.weight (12, 30), c_proj.bias (12)");
  CHECK(parameters_of(nn::CausalSelfAttention(12, {6, 2}, false, 0)) ==
        "c_attn.weight (20, 12), c_proj.weight (12, 12)");
  CHECK(parameters_of(nn::FeedForward(6, true, nn::Activation::relu, 0, 11)) ==
        "c_fc.weight (11, 6), c_fc.bias (11), c_proj.weight (6, 11), c_proj.bias (6)");
  CHECK(parameters_of(nn::FeedForward(6, false, nn::Activation::swiglu, 0, 11)) ==
        "c_fc.weight (22, 6), c_proj.weight (6, 11)");
  CHECK(parameters_of(nn::FeedForward(6, false, nn::Activation::gelu, 0)) ==
        "c_fc.weight (24, 6), c_proj.weight (6, 24)");
  CHECK(parameters_of(nn::FeedForward(6, false, nn::Activation::swiglu, 0)) ==
        "c_fc.weight (64, 6), c_proj.weight (6, 32)");
}

TEST_CASE("layers: what each returns has the shape of its sizes") {
  const Tensor x = Tensor::ones({4, 2}), context = Tensor::ones({6, 3});
  const nn::AttentionResult result = nn::Attention(2, 3, 5, 7, true)(x, context);
  CHECK(result.context.shape() == Shape{4, 7});
  CHECK(result.weights.shape() == Shape{4, 6});
  CHECK(nn::Linear(2, 5)(x).shape() == Shape{4, 5});
  CHECK(nn::FeedForward(2, true, nn::Activation::swiglu, 0, 11)(x).shape() == Shape{4, 2});
  const std::int32_t ids[] = {0, 3, 6};
  CHECK(nn::Embedding(7, 4)(ids).shape() == Shape{3, 4});
  CHECK(nn::CausalSelfAttention(12, {6, 2}, true, 0, 5)(Tensor::ones({3, 4, 12})).shape() ==
        Shape{3, 4, 12});
}

TEST_CASE("layers: a model's parameters in the order in which they are drawn and stored") {
  CHECK(parameters_of(gpt_of(model::Family::gpt2, true, true)) ==
        "transformer.wte.weight (17, 20), transformer.wpe.weight (9, 20), "
        "transformer.h.0.ln_1.weight (20), transformer.h.0.ln_1.bias (20), "
        "transformer.h.0.attn.c_attn.weight (40, 20), transformer.h.0.attn.c_attn.bias (40), "
        "transformer.h.0.attn.c_proj.weight (20, 24), transformer.h.0.attn.c_proj.bias (20), "
        "transformer.h.0.ln_2.weight (20), transformer.h.0.ln_2.bias (20), "
        "transformer.h.0.mlp.c_fc.weight (30, 20), transformer.h.0.mlp.c_fc.bias (30), "
        "transformer.h.0.mlp.c_proj.weight (20, 30), transformer.h.0.mlp.c_proj.bias (20), "
        "transformer.ln_f.weight (20), transformer.ln_f.bias (20)");
  CHECK(parameters_of(gpt_of(model::Family::qwen3, false, false)) ==
        "transformer.wte.weight (17, 20), transformer.h.0.ln_1.weight (20), "
        "transformer.h.0.attn.c_attn.weight (40, 20), transformer.h.0.attn.q_norm.weight (4), "
        "transformer.h.0.attn.k_norm.weight (4), transformer.h.0.attn.c_proj.weight (20, 24), "
        "transformer.h.0.ln_2.weight (20), transformer.h.0.mlp.c_fc.weight (60, 20), "
        "transformer.h.0.mlp.c_proj.weight (20, 30), transformer.ln_f.weight (20), "
        "lm_head.weight (17, 20)");
}
