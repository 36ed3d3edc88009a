#include "model/gpt/config.h"

#include "engine/base/number.h"

namespace model {

void read_attention_scale(const SettingText& about, std::string_view label, std::string_view text,
                          Config& config) {
  double number = 1;
  if (text != "sqrt" && text != "none" &&
      (engine::parse_number(text, number) != engine::Parsed::ok || !contains(about.range, number)))
    refuse_value(label, text, "not sqrt, none or a number " + range_text(about.range));
  config.attention_scale = text == "sqrt" ? std::nullopt : std::optional(number);
}

std::string attention_scale_text(const Config& config) {
  const std::optional<double>& scale = config.attention_scale;
  return !scale ? "sqrt" : *scale == 1 ? "none" : value_text(*scale);
}

void set_architecture(Config& config, Family family) {
  const bool llama = family != Family::gpt2;
  config.position = llama ? nn::PositionKind::rope : nn::PositionKind::learned;
  config.norm = llama ? nn::NormKind::rmsnorm : nn::NormKind::layernorm;
  config.activation = llama ? nn::Activation::swiglu : nn::Activation::gelu;
  config.qk_norm = family == Family::qwen3;
}

bool Config::scales_by_sqrt() const {
  return scores().scale_of(head_size()) == engine::AttentionScores().scale_of(head_size());
}

void Config::validate() const {
  Config copy;
  for (const Setting<Config>& setting : config_settings)
    setting.set(copy, setting.get(*this), setting.name);
  check(head_dim > 0 || n_embd % n_head == 0, "n_head: ", counted(n_embd, "channel"),
        n_embd == 1 ? " is" : " are", " not divisible by ", counted(n_head, "head"));
  check(n_head % heads().keys == 0, "n_kv_head: ", counted(n_head, "head"),
        n_head == 1 ? " is" : " are", " not divisible by ", n_kv_head);
  check(position == nn::PositionKind::learned || head_size() % 2 == 0,
        "position: rope rotates pairs of features, but a head has ", head_size());
  // A file may name any context length. With rope, that costs memory for a table of angles, but no
  // weights. The limit keeps a file from requesting much more memory than its weights take; readers
  // compare their number with parameter_count().
  constexpr Index some = Index(1) << 22;
  check(position == nn::PositionKind::learned ||
            block_size <= (some + parameter_count()) / head_size(),
        "block_size: a context of ", block_size, " tokens is too long for a model of ",
        parameter_count(), " weights");
}

std::array<engine::Shape, 4> Config::block_matrices() const {
  const Index C = n_embd, heads_size = n_head * head_size(), hidden = hidden_size();
  const Index qkv = heads_size + 2 * heads().keys * head_size();
  const Index up = activation == nn::Activation::swiglu ? 2 * hidden : hidden;
  return {{{qkv, C}, {C, heads_size}, {up, C}, {C, hidden}}};
}

Index Config::parameter_count() const {
  const Index C = n_embd, norm_size = bias && norm == nn::NormKind::layernorm ? 2 * C : C;
  Index block = 2 * norm_size + (qk_norm ? 2 * head_size() : 0);
  for (const engine::Shape& matrix : block_matrices())
    block += matrix.size() + (bias ? matrix[0] : 0);
  const Index tables = vocab_size + (tie_weights ? 0 : vocab_size) +
                       (position == nn::PositionKind::learned ? block_size : 0);
  return tables * C + n_layer * block + norm_size;
}

void Config::check_holds(Index weights, bool or_more) const {
  const Index expected = parameter_count();
  check(weights == expected || (or_more && weights > expected), "the file holds ", weights,
        " weights but its architecture (", counted(n_layer, "layer"), ", ", n_embd,
        " channels) has ", expected);
}

}  // namespace model
