#include "model/model_file.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "model/format/stored_tensor.h"
#include "model/module_file.h"
#include "model/tokenizer/factory.h"

namespace model {

void add_model(SafetensorsWriter& writer, GPT& gpt, const Tokenizer& tokenizer) {
  writer.add_metadata("format", "pt");
  for (const Setting<Config>& setting : config_settings)
    writer.add_metadata(setting.name, setting.get(gpt.config));
  writer.add_metadata("tokenizer", tokenizer.save());
  add_parameters(writer, nn::parameters(gpt));
}

LoadedModel load_model(const SafetensorsFile& file,
                       std::span<const std::string_view> other_prefixes) {
  Config config;
  for (std::size_t i = 0; i < std::size(config_settings); ++i)
    if (i < settings_in_every_file || file.metadata().contains(config_settings[i].name))
      read_setting(config_settings[i], file.metadata(), config);
  config.validate();
  TokenizerHandle tokenizer = load_tokenizer(metadata_text(file.metadata(), "tokenizer"));
  check(tokenizer->vocabulary_size() <= config.vocab_size, "the tokenizer has ",
        tokenizer->vocabulary_size(), " tokens but the model only ", config.vocab_size);
  std::vector<TensorEntry> weights;
  for (const TensorEntry& entry : file.tensors())
    if (std::ranges::none_of(other_prefixes,
                             [&](std::string_view p) { return entry.name.starts_with(p); }))
      weights.push_back(entry);
  const TensorSet set(std::move(weights));
  config.check_holds(set.count(), false);
  LoadedModel model{GPT(config), std::move(tokenizer), file.metadata()};
  fill(stored(nn::parameters(model.gpt)), set);
  return model;
}

}  // namespace model
