#include "model/gpt/gpt.h"

#include <cmath>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/storage.h"

namespace model {

using engine::check;

Block::Block(const Config& config)
    : ln_1(config.n_embd, config.bias),
      attn(config.n_embd, config.n_head, config.bias, config.dropout),
      ln_2(config.n_embd, config.bias),
      mlp(config.n_embd, config.bias, config.activation, config.dropout) {}

Tensor Block::operator()(const Tensor& x, Generator* dropout_generator) const {
  const Tensor y = x + attn(ln_1(x), dropout_generator);
  return y + mlp(ln_2(y), dropout_generator);
}

void Block::reflect(nn::Reflector& r) {
  r("ln_1", ln_1);
  r("attn", attn);
  r("ln_2", ln_2);
  r("mlp", mlp);
}

GPT::GPT(const Config& config_) : config(config_), drop{config_.dropout} {
  config.validate();
  wte = nn::Embedding(config.vocab_size, config.n_embd);
  wpe = nn::Embedding(config.block_size, config.n_embd);
  for (Index i = 0; i < config.n_layer; ++i) h.emplace_back(config);
  ln_f = nn::LayerNorm(config.n_embd, config.bias);
}

void GPT::reflect(nn::Reflector& r) {
  r("transformer.wte", wte);
  r("transformer.wpe", wpe);
  r("transformer.h", h);
  r("transformer.ln_f", ln_f);
}

Tensor GPT::features(std::span<const std::int32_t> ids, Index B, Index T,
                     Generator* dropout_generator) const {
  check(1 <= T && T <= config.block_size, "gpt: ", T, " positions, expected 1..", config.block_size,
        " (block_size)");
  const Tensor positions = engine::slice(wpe.weight, 0, 0, T);
  Tensor x = drop(wte(ids, {B, T}) + positions, dropout_generator);
  for (const Block& block : h) x = block(x, dropout_generator);
  return ln_f(x);
}

Tensor GPT::logits(std::span<const std::int32_t> ids, Index B, Index T,
                   Generator* dropout_generator) const {
  // The head's weight is the token embedding's: its slot gets the gradients of both.
  return engine::linear(features(ids, B, T, dropout_generator), wte.weight);
}

Tensor GPT::loss(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, Index B,
                 Index T, Generator* dropout_generator) const {
  return engine::cross_entropy(logits(ids, B, T, dropout_generator), targets);
}

void initialise(GPT& gpt, Generator& generator) {
  // PyTorch draws default weights for every layer as it is constructed; nanoGPT discards them
  // and draws its own.
  const auto construct_linear = [&](const nn::Linear& layer) {
    generator.discard_uniform(layer.weight.size());
    if (layer.bias) generator.discard_uniform(layer.bias.size());
  };
  generator.discard_normal(gpt.wte.weight.size());
  generator.discard_normal(gpt.wpe.weight.size());
  const auto for_each_linear = [&](auto&& visit) {
    for (Block& block : gpt.h)
      for (nn::Linear* layer :
           {&block.attn.c_attn, &block.attn.c_proj, &block.mlp.c_fc, &block.mlp.c_proj})
        visit(*layer);
  };
  for_each_linear(construct_linear);
  generator.discard_uniform(gpt.wte.weight.size());  // the head's default, before tying

  const auto normal = [&](const Tensor& weight, double deviation) {
    generator.normal(weight.mutable_values(), 0, deviation);
  };
  generator.discard_normal(gpt.wte.weight.size());  // the tied weight, drawn as the embedding
  normal(gpt.wpe.weight, 0.02);
  for_each_linear([&](const nn::Linear& layer) { normal(layer.weight, 0.02); });
  normal(gpt.wte.weight, 0.02);  // the tied weight, drawn again as the head
  const double scaled = 0.02 / std::sqrt(2.0 * static_cast<double>(gpt.config.n_layer));
  for (Block& block : gpt.h) {
    normal(block.attn.c_proj.weight, scaled);
    normal(block.mlp.c_proj.weight, scaled);
  }
}

}  // namespace model
