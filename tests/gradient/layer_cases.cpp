// Attention that no model has, and whole models as functions of all their parameters and inputs.

#include "engine/base/check.h"
#include "model/gpt/gpt.h"
#include "tests/gradient/case.h"

namespace gradient {
namespace {

// Values for every parameter, all drawn alike: initial weights, many of them 0 or 1, would leave
// the derivatives of some products untested.
template <class Module>
std::vector<Tensor> parameters_of(Module& module, Maker& make, double size = 0.7) {
  std::vector<Tensor> list;
  nn::for_each_parameter(module, [&](const std::string&, Tensor& t) {
    t = make.uniform(t.shape(), -size, size);
    list.push_back(t);
  });
  return list;
}

// The case of module(x).
template <class Module, class Call>
Case layer(const std::string& what, Module module, std::vector<Tensor> inputs, Maker& make,
           Call call) {
  std::vector<Tensor> all = parameters_of(module, make);
  all.insert(all.end(), inputs.begin(), inputs.end());
  return {what, all, [=] { return call(module); }};
}

// f(generator) with the same masks at every call.
Function with_masks(auto f) {
  return [=] {
    Generator generator(3);
    return f(&generator);
  };
}

void add_attention(std::vector<Case>& cases, Maker& make) {
  const Tensor x = make.uniform({2, 4, 5}), y = make.uniform({2, 6, 3});
  cases.push_back(layer("Attention", nn::Attention(5, 5, 4, 7), {x}, make,
                        [=](const nn::Attention& a) { return a(x).context; }));
  cases.push_back(layer("Attention, weights", nn::Attention(5, 5, 4, 7, true), {x}, make,
                        [=](const nn::Attention& a) {
                          const nn::AttentionResult result = a(x);
                          // The values have a part too, so that all inputs do.
                          return engine::matmul(result.weights, result.context);
                        }));
  cases.push_back(layer("Attention, causal, dropout",
                        nn::Attention(5, 5, 4, 7, true, {.causal = true, .dropout = {0.3}}), {x},
                        make, [=](const nn::Attention& a) {
                          Generator generator(3);
                          return a(x, &generator).context;
                        }));
  cases.push_back(layer("Attention, cross, scale 1",
                        nn::Attention(5, 3, 4, 2, false, {.scale = 1.0}), {x, y}, make,
                        [=](const nn::Attention& a) { return a(x, y).context; }));
}

// The loss of a batch of 2 sequences of 7 tokens; a target may be ignored.
Case gpt_case(const std::string& what, const model::Config& config, Maker& make, bool ignores_one) {
  model::GPT gpt(config);
  const std::vector<Tensor> inputs = parameters_of(gpt, make, 0.5);
  const std::vector<std::int32_t> ids = make.ids(14, 11);
  std::vector<std::int32_t> targets = make.ids(14, 11);
  if (ignores_one) targets[3] = -1;
  return {"GPT " + what, inputs,
          with_masks([=](Generator* g) { return gpt.loss(ids, targets, 2, 7, g); })};
}

// The families and the switches by themselves.
void add_architectures(std::vector<Case>& cases, Maker& make) {
  const model::Config plain{
      .vocab_size = 11, .block_size = 8, .n_layer = 2, .n_head = 4, .n_embd = 8};
  std::vector<std::pair<std::string, model::Config>> models;
  for (const model::Family family : {model::Family::llama, model::Family::qwen3})
    model::set_architecture(models.emplace_back(engine::name_of(family), plain).second, family);
  models.emplace_back("qwen3, 2 key heads, own head", models.back().second).second.n_kv_head = 2;
  models.back().second.tie_weights = false;
  models.emplace_back("qwen3, other sizes", models[1].second).second.head_dim = 6;
  models.back().second.n_inner = 10;
  models.back().second.norm_eps = 0.1;
  models.back().second.rope_theta = 30;
  models.emplace_back("rope, dropout", plain).second.position = nn::PositionKind::rope;
  models.back().second.dropout = 0.2;
  models.emplace_back("rmsnorm, bias", plain).second.norm = nn::NormKind::rmsnorm;
  models.back().second.bias = true;
  models.emplace_back("qk_norm, learned", plain).second.qk_norm = true;
  models.emplace_back("swiglu, bias", plain).second.activation = nn::Activation::swiglu;
  models.back().second.bias = true;
  models.emplace_back("not causal, scale none", plain).second.causal = false;
  models.back().second.attention_scale = {1};
  for (const auto& [what, config] : models) cases.push_back(gpt_case(what, config, make, false));
}

void add_models(std::vector<Case>& cases, Maker& make) {
  for (const auto activation : {nn::Activation::gelu, nn::Activation::gelu_tanh})
    for (const bool bias : {false, true})
      for (const double dropout : {0.0, 0.2}) {
        model::Config config{
            .vocab_size = 11, .block_size = 8, .n_layer = 2, .n_head = 2, .n_embd = 8};
        config.dropout = dropout;
        config.bias = bias;
        config.activation = activation;
        cases.push_back(gpt_case(engine::joined(engine::name_of(activation), bias ? ", bias" : "",
                                                dropout > 0 ? ", dropout" : ""),
                                 config, make, true));
      }
}

}  // namespace

std::vector<Case> layer_cases() {
  std::vector<Case> cases;
  Maker make(1001);
  add_attention(cases, make);
  add_models(cases, make);
  add_architectures(cases, make);
  return cases;
}

}  // namespace gradient
