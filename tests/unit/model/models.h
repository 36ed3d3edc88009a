// Small models, and tokens for them.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "model/gpt/gpt.h"

namespace models {

using engine::Index;
using engine::real;
using model::Config;

using Ids = std::vector<std::int32_t>;

// V tokens, a context of T, C channels.
inline Config sized(Index V, Index T, Index layers, Index heads, Index C, Config others = {}) {
  others.vocab_size = V;
  others.block_size = T;
  others.n_layer = layers;
  others.n_head = heads;
  others.n_embd = C;
  return others;
}

inline Config of_family(model::Family family, Config config) {
  set_architecture(config, family);
  return config;
}

inline model::GPT initialized(const Config& config, std::uint64_t seed = 1337) {
  model::GPT gpt(config);
  engine::Generator generator(seed);
  initialize(gpt, generator);
  return gpt;
}

// Weights large enough for attention to have preferences, biases and norms not at their start.
inline model::GPT random_gpt(const Config& config) {
  model::GPT gpt(config);
  engine::Generator generator(1);
  nn::for_each_parameter(gpt, [&](const std::string& name, engine::Tensor& weight) {
    generator.normal(weight.mutable_values(), name.find("ln_") == std::string::npos ? 0 : 1, 0.3);
  });
  return gpt;
}

inline Ids random_ids(Index count, Index below, std::uint64_t seed) {
  std::vector<std::int64_t> drawn(engine::unsigned_size(count));
  engine::Generator(seed).randint(drawn, 0, below);
  return {drawn.begin(), drawn.end()};
}

inline bool same_bits(std::span<const real> a, std::span<const real> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace models
