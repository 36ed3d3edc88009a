// The architecture of a GPT: everything that decides the shapes and the meaning of its weights.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/real.h"
#include "engine/base/shape.h"
#include "model/base/setting.h"
#include "model/base/words.h"
#include "nn/attention.h"
#include "nn/layers.h"

namespace model {

struct Config {
  Index vocab_size = 65;  // V
  Index block_size = 64;  // longest context, in tokens
  Index n_layer = 4;
  Index n_head = 4;    // H
  Index n_embd = 128;  // C, divisible by H
  double dropout = 0;
  bool bias = false;  // in Linear and LayerNorm layers
  nn::Activation activation = nn::Activation::gelu;
  nn::PositionKind position = nn::PositionKind::learned;
  nn::NormKind norm = nn::NormKind::layernorm;
  bool qk_norm = false;        // RMS norms of each head's queries and keys
  Index n_kv_head = 0;         // K, divides H; 0: H
  bool tie_weights = true;     // the head's weight is the token embedding
  Index head_dim = 0;          // D, features of a head; 0: C / H
  Index n_inner = 0;           // hidden features of a feed-forward part; 0: nn::hidden_features
  double norm_eps = 1e-5;      // added to a norm's mean square or variance
  double rope_theta = 10'000;  // the slowest pair rotates by about 1 / rope_theta a position
  std::optional<double> attention_scale = {};  // of the scores; 1 / sqrt D if not given
  bool causal = true;  // false: every position sees the whole context, its own target included

  engine::Heads heads() const { return {n_head, n_kv_head == 0 ? n_head : n_kv_head}; }
  Index head_size() const { return head_dim == 0 ? n_embd / n_head : head_dim; }
  engine::AttentionScores scores() const { return {attention_scale, causal}; }
  bool scales_by_sqrt() const;  // attention_scale is 1 / sqrt D, or not given
  Index hidden_size() const {
    return n_inner == 0 ? nn::hidden_features(n_embd, activation) : n_inner;
  }

  // Throws Error naming the field that is out of range or does not fit another.
  void validate() const;
  // Number of trained values (the tied head counted once), computed from the sizes alone.
  Index parameter_count() const;
  // Throws Error unless a file has as many weights as this architecture, or more if `or_more` (for
  // weights that this model does not have). Otherwise a damaged architecture could request any
  // amount of memory.
  void check_holds(Index weights, bool or_more) const;
  // The shapes of a block's c_attn, c_proj, c_fc (with SwiGLU's gates) and c_proj.
  std::array<engine::Shape, 4> block_matrices() const;

  friend bool operator==(const Config&, const Config&) = default;
};

// Families of models with programs that can load the weights: gpt2; llama (rotary positions, RMS
// norms, SwiGLU, no biases); qwen3 (the same, and norms of queries and keys). Sets the settings in
// which they differ.
enum class Family { gpt2, llama, qwen3 };
void set_architecture(Config& config, Family family);

// attention_scale as text: sqrt (not given), none (1) or a number.
void read_attention_scale(const SettingText& about, std::string_view label, std::string_view text,
                          Config& config);
std::string attention_scale_text(const Config& config);

// The bounds keep parameter_count() within 63 bits. Files of gradus 0.3 may lack settings after the
// first eight; those take their defaults.
inline constexpr std::size_t settings_in_every_file = 8;
template <auto member>
constexpr Setting<Config> of_config(const SettingText& text) {
  return setting_in<Config, member>(text);
}
// clang-format off
inline constexpr Setting<Config> config_settings[] = {
    of_config<&Config::vocab_size>({"vocab_size", {1, 1 << 24}, "N", no_default,
     "distinct tokens"}),
    of_config<&Config::n_layer>({"n_layer", {1, 1000}, "N", "from the text's size",
     "transformer blocks, one after another"}),
    of_config<&Config::n_head>({"n_head", {1, 65'536}, "N", "from the text's size",
     "attention heads in each block; must divide n_embd"}),
    of_config<&Config::n_embd>({"n_embd", {1, 65'536}, "N", "from the text's size",
     "channels: how many numbers represent one position"}),
    of_config<&Config::block_size>({"block_size", {1, 1'048'576}, "N", "from the text's size",
     "context length: how many tokens the model sees at most"}),
    of_config<&Config::dropout>({"dropout", {0, 1, false, true}, "P",
     "from the number of times the text is read; 0 with --config",
     "probability with which an activation is set to 0 in training, against overfitting"}),
    of_config<&Config::bias>({"bias", {}, "true|false", "",
     "biases in linear layers and layer norms"}),
    of_config<&Config::activation>({"activation", {}, {}, "from arch",
     "function between the two linear layers of a block's feed-forward part; relu2 is relu "
     "squared, swiglu a gated one with 8/3 n_embd hidden features instead of 4 n_embd"}),
    of_config<&Config::position>({"position", {}, {}, "from arch",
     "how the model knows positions: learned, an embedding for each; rope, queries and keys "
     "rotated by their position"}),
    of_config<&Config::norm>({"norm", {}, {}, "from arch",
     "normalization before attention, feed-forward and head"}),
    of_config<&Config::qk_norm>({"qk_norm", {}, "true|false", "from arch",
     "normalize each head's queries and keys before their product"}),
    of_config<&Config::n_kv_head>({"n_kv_head", {0, 65'536}, "N", "n_head",
     "heads of keys and values, each shared by n_head / N heads of queries; must divide n_head"}),
    of_config<&Config::tie_weights>({"tie_weights", {}, "true|false", "",
     "the head uses the token embedding's weights; false: weights of its own"}),
    of_config<&Config::head_dim>({"head_dim", {0, 65'536}, "N", "n_embd / n_head",
     "features of each attention head"}),
    of_config<&Config::n_inner>({"n_inner", {0, 1 << 20}, "N",
     "4 n_embd; with swiglu 8/3 of it, rounded up to a multiple of 32",
     "hidden features of a block's feed-forward part", "intermediate_size"}),
    of_config<&Config::norm_eps>({"norm_eps", {0, 1, true}, "X", "1e-5",
     "added to the variance (or mean square) before a norm divides by its root",
     "rms_norm_eps layer_norm_epsilon"}),
    of_config<&Config::rope_theta>({"rope_theta", {1, 1e12}, "X", "",
     "with position rope: the larger X, the slower the slowest pairs of features rotate"}),
    {{"attention_scale", {0, 1000, true}, "sqrt|none|X", "",
      "factor of the attention scores (the products of queries and keys): 1 / sqrt(head_dim), none "
      "(1) or X"},
     key_of<&Config::attention_scale>, read_attention_scale, attention_scale_text, Form::either,
     false},
    of_config<&Config::causal>({"causal", {}, "true|false", "",
     "a position sees only the tokens up to its own; false: it sees all, so the model learns to "
     "copy the next token instead of predicting it"}),
};
// clang-format on

}  // namespace model

template <>
inline constexpr auto engine::names_of<model::Family> = engine::names("gpt2", "llama", "qwen3");
