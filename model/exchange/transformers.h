// A model as the library transformers saves it: a directory with config.json,
// generation_config.json, model.safetensors (or several files and model.safetensors.index.json,
// which says which tensor is where), tokenizer.json, tokenizer_config.json, vocab.json and
// merges.txt.
//
// Families: GPT-2, Llama, Qwen3 (family.h). Works on the contents of the files; opens none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/base/words.h"
#include "model/exchange/byte_level.h"
#include "model/exchange/weights.h"
#include "model/format/safetensors.h"

namespace model {

// config.json.
struct TransformersConfig {
  Family family;
  Config config;                     // dropout 0
  std::optional<Index> end;          // id of the token that ends a text
  bool appends_end_of_text = false;  // ByteLevel's
};
// Errors name the setting that gradus does not support.
TransformersConfig read_transformers_config(std::string_view config_json);

// The names of the files that model.safetensors.index.json lists, each once.
std::vector<std::string> files_of_index(std::string_view index_json);

// The model with the files' tensors as its weights. Names may lack `transformer.`; buffers, such as
// GPT-2's causal masks, are ignored.
GPT read_transformers_weights(const TransformersConfig& config,
                              const std::vector<SafetensorsFile>& files);

// The files that export writes besides the weights: names and contents. `end`: the token that ends
// and begins a text, if there is one.
std::vector<std::pair<std::string, std::string>> transformers_files(const Config& config,
                                                                    const ByteLevel& tokens,
                                                                    std::optional<Index> end);

}  // namespace model
