#include "model/model_file.h"

#include <algorithm>
#include <set>

#include "engine/base/check.h"
#include "model/format/metadata.h"
#include "model/module_file.h"
#include "model/tokenizer/factory.h"

namespace model {

using engine::check;

void add_model(SafetensorsWriter& writer, GPT& gpt, const Tokenizer& tokenizer) {
  writer.add_metadata("format", "pt");
  for (const Setting<Config>& setting : config_settings) setting.write(gpt.config, writer);
  writer.add_metadata("tokenizer", tokenizer.save());
  add_parameters(writer, nn::parameters(gpt));
}

LoadedModel load_model(const SafetensorsFile& file,
                       std::span<const std::string_view> other_prefixes) {
  Config config;
  for (std::size_t i = 0; i < std::size(config_settings); ++i)
    if (i < settings_in_every_file || file.metadata().contains(config_settings[i].name))
      config_settings[i].read(config, file.metadata());
  config.validate();
  TokenizerHandle tokenizer = load_tokenizer(metadata_text(file.metadata(), "tokenizer"));
  check(tokenizer->vocabulary_size() <= config.vocab_size, "the tokenizer has ",
        tokenizer->vocabulary_size(), " tokens but the model only ", config.vocab_size);
  // A damaged architecture could ask for any amount of memory: before allocating, compare it with
  // the number of weights in the file.
  const auto is_other = [&](const TensorEntry& entry) {
    return std::ranges::any_of(other_prefixes,
                               [&](std::string_view p) { return entry.name.starts_with(p); });
  };
  Index held = 0;
  for (const TensorEntry& entry : file.tensors())
    if (!is_other(entry)) held += entry.count();
  check(held == config.parameter_count(), "the file holds ", held,
        " weights but its architecture (", config.n_layer, " layers, ", config.n_embd,
        " channels) has ", config.parameter_count());
  LoadedModel model{GPT(config), std::move(tokenizer), file.metadata()};
  std::set<std::string> known;
  for (const nn::NamedParameter& p : nn::parameters(model.gpt)) {
    copy_values(entry_of(file, p), p.tensor.mutable_values());
    known.insert(p.name);
  }
  for (const TensorEntry& entry : file.tensors())
    check(is_other(entry) || known.contains(entry.name), "tensor \"", entry.name,
          "\" is not part of this architecture");
  return model;
}

}  // namespace model
