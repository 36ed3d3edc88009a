#include "model/exchange/family.h"

#include "model/base/utf8.h"
#include "model/base/words.h"

namespace model {

Family family_named(std::string_view name, std::string_view key) {
  if (const auto family = engine::value_named<Family>(name)) return *family;
  fail(key, in_quotes(name), ", expected gpt2, llama or qwen3");
}

Family family_of(const Config& config) {
  const bool gpt2 = config.position == nn::PositionKind::learned;
  const Family family = gpt2 ? Family::gpt2 : config.qk_norm ? Family::qwen3 : Family::llama;
  const auto demand = [&](bool condition, std::string_view setting, const auto& value) {
    check(condition, setting, " ", value, " with position ", engine::name_of(config.position),
          ": only gradus computes this; models of --arch gpt2, llama and qwen3 can be exported");
  };
  check(config.causal, "causal false: GPT-2, Llama and Qwen3 hide later tokens");
  check(config.scales_by_sqrt(), "attention_scale ", attention_scale_text(config),
        ": GPT-2, Llama and Qwen3 multiply attention scores by 1 / sqrt(", config.head_size(), ")");
  const bool swiglu = config.activation == nn::Activation::swiglu;
  demand((config.norm == nn::NormKind::layernorm) == gpt2, "norm", engine::name_of(config.norm));
  demand(swiglu != gpt2, "activation", engine::name_of(config.activation));
  demand(gpt2 || !config.bias, "bias", "true");
  if (!gpt2) return family;
  demand(!config.qk_norm, "qk_norm", "true");
  demand(config.heads().keys == config.n_head, "n_kv_head", config.n_kv_head);
  demand(config.n_head * config.head_size() == config.n_embd, "head_dim", config.head_dim);
  return family;
}

}  // namespace model
