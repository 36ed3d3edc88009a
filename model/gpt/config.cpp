#include "model/gpt/config.h"

#include "engine/base/check.h"

namespace model {

using engine::check;

void set_architecture(Config& config, std::string_view arch) {
  const bool llama = arch != "gpt2";
  config.position = llama ? nn::PositionKind::rope : nn::PositionKind::learned;
  config.norm = llama ? nn::NormKind::rmsnorm : nn::NormKind::layernorm;
  config.activation = llama ? nn::Activation::swiglu : nn::Activation::gelu;
  config.qk_norm = arch == "qwen3";
}

bool Config::scales_by_sqrt() const {
  return scores().scale_of(head_size()) == engine::AttentionScores().scale_of(head_size());
}

void Config::validate() const {
  Config copy;
  for (const Setting<Config>& setting : config_settings)
    setting.set(copy, setting.get(*this), setting.name);
  check(head_dim > 0 || n_embd % n_head == 0, "n_head: ", engine::counted(n_embd, "channel"),
        n_embd == 1 ? " is" : " are", " not divisible by ", engine::counted(n_head, "head"));
  check(n_head % heads().keys == 0, "n_kv_head: ", n_head, " heads are not divisible by ",
        n_kv_head);
  check(position == nn::PositionKind::learned || head_size() % 2 == 0,
        "position: rope turns pairs of "
        "features, but a head has ",
        head_size());
}

namespace {

// The sizes of a block's matrices.
struct Sizes {
  explicit Sizes(const Config& c)
      : C(c.n_embd),
        qkv((c.n_head + 2 * c.heads().keys) * c.head_size()),
        heads(c.n_head * c.head_size()),
        hidden(c.hidden_size()),
        opened(c.activation == nn::Activation::swiglu ? 2 * hidden : hidden) {}
  Index C, qkv, heads, hidden;
  Index opened;  // the features of c_fc, a gate for each included

  Index matrices() const { return (qkv + heads + opened + hidden) * C; }
  Index biases() const { return qkv + C + opened + C; }
};

}  // namespace

Index Config::parameter_count() const {
  const Index C = n_embd;
  const Sizes sizes(*this);
  const Index norm_size = bias && norm == nn::NormKind::layernorm ? 2 * C : C;
  const Index block = sizes.matrices() + (bias ? sizes.biases() : 0) + 2 * norm_size +
                      (qk_norm ? 2 * head_size() : 0);
  const Index tables = vocab_size + (tie_weights ? 0 : vocab_size) +
                       (position == nn::PositionKind::learned ? block_size : 0);
  return tables * C + n_layer * block + norm_size;
}

double Config::training_bytes(Index B, Index T) const {
  const auto L = static_cast<double>(n_layer), C = static_cast<double>(n_embd),
             V = static_cast<double>(vocab_size);
  const Sizes sizes(*this);
  const double tokens = static_cast<double>(B) * static_cast<double>(T);
  // Saved per block: its input, the residual stream after attention, two norms; queries, keys and
  // values, once more if they are prepared; the heads' outputs; the hidden layer before and after
  // the activation.
  const double prepared = (position == nn::PositionKind::rope ? 1 : 0) + (qk_norm ? 2 : 0);
  const double block = 4 * C + (1 + prepared) * static_cast<double>(sizes.qkv) +
                       static_cast<double>(sizes.heads + sizes.opened + sizes.hidden);
  return sizeof(engine::real) *
         (4 * static_cast<double>(parameter_count()) + tokens * (L * block + 2 * C + V));
}

double Config::step_flops(Index B, Index T) const {
  const auto C = static_cast<double>(n_embd), L = static_cast<double>(n_layer),
             t = static_cast<double>(T), V = static_cast<double>(vocab_size);
  // Multiply-adds of a token, forward.
  const Sizes sizes(*this);
  const double per_token =
      L * (static_cast<double>(sizes.matrices()) + 2 * t * static_cast<double>(sizes.heads)) +
      V * C;
  return 3 * 2 * per_token * static_cast<double>(B) * t;  // the backward pass takes twice as many
}

}  // namespace model
