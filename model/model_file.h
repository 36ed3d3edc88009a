// A model as a .safetensors file: its weights under nanoGPT's names, and in the metadata the
// architecture and the tokenizer, so that the file is enough for sampling. Any safetensors reader
// opens it.
#pragma once

#include <span>
#include <string_view>

#include "model/base/words.h"
#include "model/format/safetensors.h"
#include "model/gpt/gpt.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

// Adds the model to a file. The weights must stay where they are until the writer's pieces are
// written.
void add_model(SafetensorsWriter& writer, GPT& gpt, const Tokenizer& tokenizer);

// Sets the setting to the value that a file's metadata has under its name.
template <class Owner>
void read_setting(const Setting<Owner>& setting, const Metadata& metadata, Owner& owner) {
  setting.set(owner, metadata_text(metadata, setting.name),
              joined("metadata \"", setting.name, '"'));
}

struct LoadedModel {
  GPT gpt;
  TokenizerHandle tokenizer;
  Metadata metadata;  // of the file; includes how the model was trained, its best loss
};

// Checks that architecture, tokenizer and tensors fit together before it allocates the model;
// throws Error naming what does not fit. Tensors with a name that begins with one of
// `other_prefixes` (a checkpoint has more than the model) are ignored; any other that is not a
// weight is an error.
LoadedModel load_model(const SafetensorsFile& file,
                       std::span<const std::string_view> other_prefixes = {});

}  // namespace model
