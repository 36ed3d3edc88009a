// A model in a .safetensors file: its weights under nanoGPT's names, and in the metadata all that
// is needed to sample from it: the architecture and the tokenizer. Any safetensors reader opens it.
#pragma once

#include <string_view>

#include "model/format/safetensors.h"
#include "model/gpt/gpt.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

// Adds the model to a file that is being made. The weights must stay where they are until the
// writer's pieces are written.
void describe_model(SafetensorsWriter& writer, GPT& gpt, const Tokenizer& tokenizer);

// The weights alone, named `prefix` and their names.
void add_weights(SafetensorsWriter& writer, std::string_view prefix, GPT& gpt);
void read_weights(const SafetensorsFile& file, std::string_view prefix, GPT& gpt);

struct LoadedModel {
  GPT gpt;
  TokenizerHandle tokenizer;
  Metadata metadata;  // what else is known: how it was trained, its best loss
};

// Checks that architecture, tokenizer and tensors fit together before anything is allocated for
// them; throws engine::Error saying what does not. Tensors whose names begin with one of
// `other_prefixes` (what else a checkpoint has) are left for the caller; any other is an error.
LoadedModel load_model(const SafetensorsFile& file,
                       std::span<const std::string_view> other_prefixes = {});

}  // namespace model
