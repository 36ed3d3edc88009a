#include "model/exchange/config_keys.h"

namespace model {

Config defaults_of(Family family) {
  Config config;
  set_architecture(config, family);
  if (family == Family::gpt2) {
    config.activation = nn::Activation::gelu_tanh;
    config.bias = true;
  } else {
    config.norm_eps = 1e-6;
    config.tie_weights = false;
  }
  return config;
}

Config with_sizes(Config config) {
  config.n_kv_head = config.heads().keys;
  config.head_dim = config.head_size();
  config.n_inner = config.hidden_size();
  return config;
}

Config without_sizes(Config config) {
  if (config.n_kv_head == config.n_head) config.n_kv_head = 0;
  if (config.head_dim * config.n_head == config.n_embd) config.head_dim = 0;
  if (config.n_inner == nn::hidden_features(config.n_embd, config.activation)) config.n_inner = 0;
  return config;
}

}  // namespace model
