// The settings of a model under transformers' keys. A table has a row for each key of config.json,
// in the order in which export writes them. read_keys and write_keys (transformers.cpp) go over it,
// so a new key is added in one place.
#pragma once

#include <string_view>
#include <variant>

#include "model/exchange/family.h"

namespace model {

enum class Use {
  required,  // read and written
  optional,  // the same, but if the file lacks it, defaults_of(family) applies
  demanded,  // read only: must have the value of the row
  written,   // written only
};
struct ConfigKey {
  std::string_view key;
  // The setting, or JSON: the value to write, or the value that a file must have if it has the key.
  std::variant<Index Config::*, double Config::*, bool Config::*, nn::Activation Config::*,
               std::string_view>
      value;
  Use use = Use::required;
  std::string_view also = {};  // another key for the same value
};

// clang-format off
inline constexpr ConfigKey transformers_keys[] = {  // of every family
    {"vocab_size", &Config::vocab_size},
    {"tie_word_embeddings", &Config::tie_weights, Use::optional},
    {"is_causal", "true", Use::demanded},
};
inline constexpr ConfigKey transformers_gpt2_keys[] = {
    {"n_positions", &Config::block_size, Use::required, "n_ctx"},
    {"n_embd", &Config::n_embd},
    {"n_layer", &Config::n_layer},
    {"n_head", &Config::n_head},
    {"n_inner", &Config::n_inner, Use::optional},
    {"activation_function", &Config::activation, Use::optional},
    {"resid_pdrop", &Config::dropout, Use::written},
    {"embd_pdrop", &Config::dropout, Use::written},
    {"attn_pdrop", &Config::dropout, Use::written},
    {"layer_norm_epsilon", &Config::norm_eps, Use::optional},
    {"initializer_range", "0.02", Use::written},
    {"scale_attn_weights", "true", Use::optional},
    {"scale_attn_by_inverse_layer_idx", "false", Use::demanded},
    {"add_cross_attention", "false", Use::demanded},
    {"bias", &Config::bias, Use::optional},  // gradus's own: export fills biases with zeros
};
inline constexpr ConfigKey transformers_llama_keys[] = {
    {"hidden_size", &Config::n_embd},
    {"intermediate_size", &Config::n_inner},
    {"num_hidden_layers", &Config::n_layer},
    {"num_attention_heads", &Config::n_head},
    {"num_key_value_heads", &Config::n_kv_head, Use::optional},
    {"head_dim", &Config::head_dim, Use::optional},
    {"max_position_embeddings", &Config::block_size},
    {"rms_norm_eps", &Config::norm_eps, Use::optional},
    {"rope_theta", &Config::rope_theta, Use::optional},
    {"rope_scaling", "null", Use::written},
    {"hidden_act", R"("silu")", Use::optional},
    {"initializer_range", "0.02", Use::written},
    {"attention_dropout", &Config::dropout, Use::written},
    {"attention_bias", "false", Use::optional},
    {"mlp_bias", "false", Use::optional},
    {"rope_interleaved", "false", Use::demanded},
    {"use_sliding_window", "false", Use::demanded},
    {"pretraining_tp", "1", Use::demanded},
    {"partial_rotary_factor", "1", Use::demanded},
};
// clang-format on

// The values of optional keys that a file leaves out.
Config defaults_of(Family family);
// Turns sizes that gradus chooses by itself (0) into numbers, and back, so that a model that is
// exported and read again has its old settings.
Config with_sizes(Config config);
Config without_sizes(Config config);

}  // namespace model
