// Each layer with sizes that are all different: its parameters in order, with their names and shapes.
#include "nn/attention.h"
#include "tests/catch.h"

using engine::joined;

namespace {

std::string parameters_of(auto module) {
  std::string text;
  for (const nn::NamedParameter& p : nn::parameters(module))
    text += joined(text.empty() ? "" : ", ", p.name, ' ', p.tensor.shape());
  return text;
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
