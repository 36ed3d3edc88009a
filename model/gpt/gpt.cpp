#include "model/gpt/gpt.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "engine/base/storage.h"

namespace model {

Block::Block(const Config& config, const Tensor& angles)
    : ln_1(config.norm, config.n_embd, config.bias, config.norm_eps),
      attn(config.n_embd, config.heads(), config.bias, config.dropout, config.head_size()),
      ln_2(config.norm, config.n_embd, config.bias, config.norm_eps),
      mlp(config.n_embd, config.bias, config.activation, config.dropout, config.hidden_size()) {
  attn.prepare.angles = angles;
  attn.scores = config.scores();
  if (config.qk_norm) {
    attn.prepare.q_norm = nn::RMSNorm(config.head_size(), config.norm_eps);
    attn.prepare.k_norm = nn::RMSNorm(config.head_size(), config.norm_eps);
  }
}

Tensor Block::operator()(const Tensor& x, Generator* dropout_generator,
                         engine::KvCache* cache) const {
  const Tensor y = x + attn(ln_1(x), dropout_generator, cache);
  return y + mlp(ln_2(y), dropout_generator);
}

void Block::reflect(nn::Reflector& r) {
  r("ln_1", ln_1);
  r("attn", attn);
  r("ln_2", ln_2);
  r("mlp", mlp);
}

Cache::Cache(const Config& config) {
  for (Index i = 0; i < config.n_layer; ++i)
    blocks.emplace_back(config.heads(), config.head_size(), config.block_size);
}

Cache Cache::clone() const {
  Cache copy;
  for (const engine::KvCache& block : blocks) copy.blocks.push_back(block.clone());
  return copy;
}

void Cache::clear() {
  for (engine::KvCache& block : blocks) block.size = 0;
}

GPT::GPT(const Config& config_) : config(config_), drop{config_.dropout} {
  config.validate();
  wte = nn::Embedding(config.vocab_size, config.n_embd);
  const bool rope = config.position == nn::PositionKind::rope;
  if (!rope) wpe = nn::Embedding(config.block_size, config.n_embd);
  const Tensor angles =
      rope ? engine::rope_angles(config.block_size, config.head_size(), config.rope_theta)
           : Tensor{};
  for (Index i = 0; i < config.n_layer; ++i) h.emplace_back(config, angles);
  ln_f = nn::Norm(config.norm, config.n_embd, config.bias, config.norm_eps);
  if (!config.tie_weights) lm_head = nn::Linear(config.n_embd, config.vocab_size, false);
}

void GPT::reflect(nn::Reflector& r) {
  r("transformer.wte", wte);
  r("transformer.wpe", wpe);
  r("transformer.h", h);
  r("transformer.ln_f", ln_f);
  r("lm_head", lm_head);
}

Tensor GPT::embedded(std::span<const std::int32_t> ids, Index B, Index T,
                     Generator* dropout_generator, Index first) const {
  check(1 <= T && first + T <= config.block_size, "gpt: ", first + T, " positions, expected 1..",
        config.block_size, " (block_size)");
  Tensor x = wte(ids, {B, T});
  if (wpe.weight) x = x + engine::slice(wpe.weight, 0, first, first + T);
  return drop(x, dropout_generator);
}

Tensor GPT::features(std::span<const std::int32_t> ids, Index B, Index T,
                     Generator* dropout_generator, Cache* cache) const {
  check(!cache || cache->blocks.size() == h.size(), "gpt: ", counted(std::ssize(h), "layer"),
        ", but the cache has ", cache ? std::ssize(cache->blocks) : 0);
  Tensor x = embedded(ids, B, T, dropout_generator, cache ? cache->size() : 0);
  for (std::size_t i = 0; i < h.size(); ++i)
    x = h[i](x, dropout_generator, cache ? &cache->blocks[i] : nullptr);
  return ln_f(x);
}

Tensor GPT::head(const Tensor& x) const {
  // A tied head uses the token embedding's weight, so one slot gets the gradients of both.
  return lm_head.packed ? lm_head(x) : engine::linear(x, head_weight());
}

Tensor GPT::logits(std::span<const std::int32_t> ids, Index B, Index T,
                   Generator* dropout_generator) const {
  return head(features(ids, B, T, dropout_generator));
}

Tensor GPT::next_logits(std::span<const std::int32_t> ids, Cache& cache) const {
  const Index T = std::ssize(ids);
  return head(engine::slice(features(ids, 1, T, nullptr, &cache), 1, T - 1, T));
}

namespace {

// Every linear layer of the blocks, in the order in which PyTorch makes them.
void for_each_linear(GPT& gpt, const std::function<void(nn::Linear&)>& visit) {
  for (Block& block : gpt.h)
    for (nn::Linear* layer :
         {&block.attn.c_attn, &block.attn.c_proj, &block.mlp.c_fc, &block.mlp.c_proj})
      visit(*layer);
}

}  // namespace

void GPT::pack() {
  for_each_linear(*this, [](nn::Linear& layer) { layer.pack(); });
  if (!lm_head.weight) lm_head.weight = wte.weight;
  lm_head.pack();
}

Tensor GPT::loss(std::span<const std::int32_t> ids, std::span<const std::int32_t> targets, Index B,
                 Index T, Generator* dropout_generator) const {
  return engine::cross_entropy(logits(ids, B, T, dropout_generator), targets);
}

void copy_weights(GPT& from, GPT& to) {
  const std::vector<nn::NamedParameter> source = nn::parameters(from), target = nn::parameters(to);
  check(source.size() == target.size(), "copy_weights: ", counted(std::ssize(source), "parameter"),
        " cannot be copied to ", target.size());
  for (std::size_t i = 0; i < target.size(); ++i) {
    const Tensor &a = source[i].tensor, &b = target[i].tensor;
    const bool is_shorter = to.wpe.weight && b.data() == to.wpe.weight.data() &&
                            b.shape()[0] < a.shape()[0] && b.shape()[1] == a.shape()[1];
    check(source[i].name == target[i].name && (a.shape() == b.shape() || is_shorter),
          "copy_weights: ", source[i].name, ' ', a.shape(), " cannot be copied to ", target[i].name,
          ' ', b.shape());
  }
  for (std::size_t i = 0; i < target.size(); ++i)
    std::copy_n(source[i].tensor.data(), target[i].tensor.size(), target[i].tensor.mutable_data());
}

void initialize(GPT& gpt, Generator& generator, double deviation) {
  // PyTorch draws default weights for every layer as it is constructed; nanoGPT discards them
  // and draws its own.
  const auto construct_linear = [&](const nn::Linear& layer) {
    generator.discard_uniform(layer.weight.size());
    if (layer.bias) generator.discard_uniform(layer.bias.size());
  };
  generator.discard_normal(gpt.wte.weight.size());
  if (gpt.wpe.weight) generator.discard_normal(gpt.wpe.weight.size());
  for_each_linear(gpt, construct_linear);
  generator.discard_uniform(gpt.wte.weight.size());  // the head's default, before tying

  const auto draw = [&](const Tensor& weight, double standard_deviation) {
    generator.normal(weight.mutable_values(), 0, standard_deviation);
  };
  generator.discard_normal(gpt.wte.weight.size());  // the tied weight, drawn as the embedding
  if (gpt.wpe.weight) draw(gpt.wpe.weight, deviation);
  for_each_linear(gpt, [&](const nn::Linear& layer) { draw(layer.weight, deviation); });
  draw(gpt.head_weight(), deviation);  // the tied weight, drawn again as the head
  if (gpt.lm_head.weight) draw(gpt.wte.weight, deviation);
  const double scaled = deviation / std::sqrt(2.0 * static_cast<double>(gpt.config.n_layer));
  for (Block& block : gpt.h) {
    draw(block.attn.c_proj.weight, scaled);
    draw(block.mlp.c_proj.weight, scaled);
  }
}

}  // namespace model
