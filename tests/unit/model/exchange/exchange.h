// Small models of every family, and their files in the forms of other programs.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/exchange/gguf_model.h"
#include "model/exchange/transformers.h"
#include "tests/pieces.h"
#include "tests/unit/model/models.h"

namespace exchange {

using namespace model;
using models::of_family;
using models::random_gpt;

// A model of each kind that other programs have.
inline std::map<std::string, Config> configs() {
  const Config plain = models::sized(256, 9, 2, 4, 32);
  std::map<std::string, Config> all;
  all["gpt2"] = plain;
  all["gpt2 with biases"] = plain;
  all["gpt2 with biases"].bias = true;
  Config& own = all["gpt2, own head, gelu_tanh, 50 hidden"] = plain;
  own.tie_weights = false;
  own.activation = nn::Activation::gelu_tanh;
  own.n_inner = 50;
  own.norm_eps = 1e-6;
  all["llama"] = of_family(Family::llama, plain);
  Config& other = all["llama, 2 key heads, head of 6, own sizes"] = all["llama"];
  other.n_kv_head = 2;
  other.head_dim = 6;
  other.n_inner = 40;
  other.rope_theta = 5000;
  other.norm_eps = 1e-6;
  other.tie_weights = false;
  all["qwen3"] = of_family(Family::qwen3, plain);
  all["qwen3, 1 key head"] = all["qwen3"];
  all["qwen3, 1 key head"].n_kv_head = 1;
  return all;
}

inline std::string hf_weights(GPT& gpt, Dtype dtype = Dtype::f32) {
  std::deque<model::FileBytes> memory;
  SafetensorsWriter writer(FileOf::others);
  writer.add_metadata("format", "pt");
  for (const StoredTensor& tensor :
       foreign_tensors(gpt, family_of(gpt.config), Program::transformers))
    writer.add(tensor.name, tensor.shape, dtype, bytes_of(tensor, dtype, memory));
  return joined_pieces(writer.pieces());
}

inline std::map<std::string, std::string> hf_texts(const Config& config,
                                                   const Tokenizer& tokenizer) {
  const auto files = transformers_files(config, byte_level(tokenizer), 0);
  return {files.begin(), files.end()};
}

}  // namespace exchange
