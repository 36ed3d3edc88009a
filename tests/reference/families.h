// Models of the Llama and Qwen3 families seen as transformers' tensors, filled by formula, and compared
// with what PyTorch computed.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "model/gpt/gpt.h"
#include "tests/golden.h"

namespace reference {

using engine::Index;
using engine::Tensor;

inline golden::Values values(const Tensor& x) { return {x.values().begin(), x.values().end()}; }

// The numbers of a file of this folder.
class Numbers {
 public:
  explicit Numbers(const std::string& path) : all_(golden::read(path)) {}

  // The norm of the difference is at most `tolerance` times the norm of what PyTorch has.
  void check(const std::string& name, const golden::Values& got, double tolerance) const {
    const golden::Values& exact = all_.at(name);
    REQUIRE(got.size() == exact.size());
    double error = 0, size = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      error += (got[i] - exact[i]) * (got[i] - exact[i]);
      size += exact[i] * exact[i];
    }
    error = std::sqrt(error / size);
    INFO(name << ": off by " << error);
    CHECK(error <= tolerance);
  }

 private:
  std::map<std::string, golden::Values> all_;
};

// The keys of config.json that decide, for a model of rows of few numbers. 0: the family's default.
struct Keys {
  Index vocabulary, block, layers, heads, channels, key_heads, head_size, inner;
  bool tied;
  double eps, theta;
};
inline model::Config config_of(model::Family family, const Keys& keys) {
  model::Config config{.vocab_size = keys.vocabulary,
                       .block_size = keys.block,
                       .n_layer = keys.layers,
                       .n_head = keys.heads,
                       .n_embd = keys.channels,
                       .n_kv_head = keys.key_heads,
                       .tie_weights = keys.tied,
                       .head_dim = keys.head_size,
                       .n_inner = keys.inner,
                       .norm_eps = keys.eps,
                       .rope_theta = keys.theta};
  model::set_architecture(config, family);
  return config;
}

// make_families.py's ids.
inline std::vector<std::int32_t> ids_of(Index count, Index vocabulary) {
  std::vector<std::int32_t> ids;
  for (Index i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>((3 * i * i + 5 * i + 1) % vocabulary));
  return ids;
}

// One of transformers' tensors: rows [begin, begin + rows) of one of ours.
struct Part {
  std::string name;
  Tensor tensor;
  Index begin, rows;

  Index width() const { return tensor.size() / tensor.shape()[0]; }
  // Those rows of a tensor of the same shape.
  golden::Values rows_of(const Tensor& x) const {
    const engine::real* const first = x.data() + begin * width();
    return {first, first + rows * width()};
  }
};

// In transformers' order. Ours hold queries, keys and values one below the other, and gate and up.
inline std::vector<Part> parts_of(model::GPT& gpt) {
  std::vector<Part> parts;
  const auto whole = [&](const std::string& name, const Tensor& tensor) {
    parts.push_back({name, tensor, 0, tensor.shape()[0]});
  };
  const auto [H, K] = gpt.config.heads();
  const Index D = gpt.config.head_size(), inner = gpt.config.hidden_size();
  whole("model.embed_tokens.weight", gpt.wte.weight);
  for (std::size_t i = 0; i < gpt.h.size(); ++i) {
    model::Block& block = gpt.h[i];
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    whole(layer + "input_layernorm.weight", block.ln_1.weight);
    const Tensor &qkv = block.attn.c_attn.weight, &fc = block.mlp.c_fc.weight;
    parts.push_back({layer + "self_attn.q_proj.weight", qkv, 0, H * D});
    parts.push_back({layer + "self_attn.k_proj.weight", qkv, H * D, K * D});
    parts.push_back({layer + "self_attn.v_proj.weight", qkv, (H + K) * D, K * D});
    whole(layer + "self_attn.o_proj.weight", block.attn.c_proj.weight);
    if (gpt.config.qk_norm) {
      whole(layer + "self_attn.q_norm.weight", block.attn.prepare.q_norm.weight);
      whole(layer + "self_attn.k_norm.weight", block.attn.prepare.k_norm.weight);
    }
    whole(layer + "post_attention_layernorm.weight", block.ln_2.weight);
    parts.push_back({layer + "mlp.gate_proj.weight", fc, 0, inner});
    parts.push_back({layer + "mlp.up_proj.weight", fc, inner, inner});
    whole(layer + "mlp.down_proj.weight", block.mlp.c_proj.weight);
  }
  whole("model.norm.weight", gpt.ln_f.weight);
  if (gpt.lm_head.weight) whole("lm_head.weight", gpt.lm_head.weight);
  return parts;
}

// make_families.py's values of the k-th of them: norms around 1, all else around 0.
template <class Number>
std::vector<Number> values_of(const Part& part, Index k) {
  const bool norm = part.name.find("norm") != std::string::npos;
  std::vector<Number> values;
  for (Index i = 0; i < part.rows * part.width(); ++i)
    values.push_back(
        static_cast<Number>(norm ? 1 + 0.4 * golden::formula(i, k) : 0.5 * golden::formula(i, k)));
  return values;
}

// Gives them to all, and returns their number.
inline Index fill(model::GPT& gpt) {
  Index k = 0, count = 0;
  for (const Part& part : parts_of(gpt)) {
    const std::vector<engine::real> values = values_of<engine::real>(part, k++);
    std::ranges::copy(values, part.tensor.mutable_data() + part.begin * part.width());
    count += std::ssize(values);
  }
  return count;
}

}  // namespace reference
