#include "model/model_file.h"

#include <algorithm>
#include <limits>
#include <set>

#include "engine/check.h"
#include "engine/number.h"

namespace model {

using engine::check;
using engine::fail;
using engine::Parsed;

namespace {

constexpr nn::Activation activations[] = {nn::Activation::gelu, nn::Activation::gelu_tanh,
                                          nn::Activation::relu};

Config load_config(const Metadata& metadata) {
  constexpr Index any = std::numeric_limits<std::int32_t>::max();
  Config config;
  config.vocab_size = metadata_index(metadata, "vocab_size", 1, any);
  config.block_size = metadata_index(metadata, "block_size", 1, any);
  config.n_layer = metadata_index(metadata, "n_layer", 1, any);
  config.n_head = metadata_index(metadata, "n_head", 1, any);
  config.n_embd = metadata_index(metadata, "n_embd", 1, any);
  config.dropout = metadata_number(metadata, "dropout");
  const std::string& bias = metadata_text(metadata, "bias");
  check(bias == "true" || bias == "false", "metadata \"bias\": \"", bias,
        "\" is neither true nor false");
  config.bias = bias == "true";
  const std::string& activation = metadata_text(metadata, "activation");
  const auto known = std::ranges::find_if(
      activations, [&](nn::Activation a) { return nn::name(a) == activation; });
  check(known != std::end(activations), "metadata \"activation\": \"", activation,
        "\" is not gelu, gelu_tanh or relu");
  config.activation = *known;
  config.validate();
  return config;
}

}  // namespace

const std::string& metadata_text(const Metadata& metadata, std::string_view key) {
  const auto entry = metadata.find(key);
  check(entry != metadata.end(), "metadata \"", key, "\" is missing; is this a gradus model?");
  return entry->second;
}

Index metadata_index(const Metadata& metadata, std::string_view key, Index least, Index most) {
  const std::string& text = metadata_text(metadata, key);
  std::int64_t value = 0;
  check(engine::parse_number(text, value) == Parsed::ok && least <= value && value <= most,
        "metadata \"", key, "\": \"", text, "\" is not a whole number (", least, "..", most, ")");
  return value;
}

double metadata_number(const Metadata& metadata, std::string_view key) {
  const std::string& text = metadata_text(metadata, key);
  double value = 0;
  check(engine::parse_number(text, value) == Parsed::ok, "metadata \"", key, "\": \"", text,
        "\" is not a number");
  return value;
}

void describe_model(SafetensorsWriter& writer, GPT& gpt, const Tokenizer& tokenizer) {
  const Config& config = gpt.config;
  writer.add_metadata("format", "pt");
  const auto add = [&](std::string_view key, Index value) {
    writer.add_metadata(key, std::to_string(value));
  };
  add("vocab_size", config.vocab_size);
  add("block_size", config.block_size);
  add("n_layer", config.n_layer);
  add("n_head", config.n_head);
  add("n_embd", config.n_embd);
  writer.add_metadata("dropout", engine::number_text(config.dropout));
  writer.add_metadata("bias", config.bias ? "true" : "false");
  writer.add_metadata("activation", nn::name(config.activation));
  writer.add_metadata("tokenizer", tokenizer.save());
  for (const nn::NamedParameter& p : nn::parameters(gpt)) {
    const auto sizes = p.tensor.shape().sizes();
    writer.add(p.name, {sizes.begin(), sizes.end()}, p.tensor.values());
  }
}

LoadedModel load_model(const SafetensorsFile& file,
                       std::span<const std::string_view> other_prefixes) {
  const Config config = load_config(file.metadata());
  TokenizerHandle tokenizer = load_tokenizer(metadata_text(file.metadata(), "tokenizer"));
  check(tokenizer->vocabulary_size() <= config.vocab_size, "the tokenizer has ",
        tokenizer->vocabulary_size(), " tokens but the model only ", config.vocab_size);
  // The file has to hold the weights of such a model before memory is taken for them.
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
  std::set<std::string_view> loaded;
  nn::for_each_parameter(model.gpt, [&](const std::string& name, engine::Tensor& weight) {
    const TensorEntry* const entry = file.find(name);
    check(entry != nullptr, "tensor \"", name, "\" is missing");
    check(std::ranges::equal(entry->shape, weight.shape().sizes()), "tensor \"", name,
          "\" has shape ", shape_text(entry->shape), " but the architecture asks for ",
          weight.shape());
    copy_values(*entry, weight.mutable_values());
    loaded.insert(entry->name);
  });
  for (const TensorEntry& entry : file.tensors())
    check(is_other(entry) || loaded.contains(entry.name), "tensor \"", entry.name,
          "\" is not part of this architecture");
  return model;
}

}  // namespace model
