#include "model/exchange/transformers.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/exchange/config_keys.h"
#include "model/exchange/config_members.h"
#include "model/format/json.h"
#include "model/format/json_writer.h"

namespace model {

namespace {

// gradus's own key: the model was trained with an end-of-text token after each text.
constexpr std::string_view ends_texts_key = "gradus_ends_texts";

// transformers' names of activations.
struct ActivationName {
  std::string_view name;
  nn::Activation activation;
};
constexpr ActivationName activations[] = {
    {"gelu_new", nn::Activation::gelu_tanh},
    {"gelu", nn::Activation::gelu},
    {"relu", nn::Activation::relu},
    {"relu2", nn::Activation::relu2},
    {"gelu_pytorch_tanh", nn::Activation::gelu_tanh},
};

// Each type of a setting has a function that reads it and one that writes it.

void read_value(Json::Value json, Index& value) { value = json.integer(); }
void read_value(Json::Value json, double& value) { value = json.number(); }
void read_value(Json::Value json, bool& value) { value = json.boolean(); }
void read_value(Json::Value json, nn::Activation& value) {
  const auto found = std::ranges::find(activations, json.string(), &ActivationName::name);
  check(found != std::end(activations), json.key(), ' ', in_quotes(json.string()),
        ", expected gelu_new, gelu, relu or relu2");
  value = found->activation;
}

// 0: the other program chooses as gradus does.
std::string written(Index value) { return value == 0 ? "null" : json_of(value); }
std::string written(double value) { return json_of(value); }
std::string written(bool value) { return json_of(value); }
std::string written(nn::Activation value) {
  return json_of(std::ranges::find(activations, value, &ActivationName::activation)->name);
}

void read_keys(std::span<const ConfigKey> keys, const ConfigMembers& json, Config& config) {
  for (const ConfigKey& row : keys) {
    const std::string_view key = row.also.empty() || json.has(row.key) ? row.key : row.also;
    if (row.use == Use::written || (row.use != Use::required && !json.has(key))) continue;
    std::visit(
        [&](auto value) {
          if constexpr (std::is_member_pointer_v<decltype(value)>)
            read_value(json.at(key), config.*value);
          else
            json.demand(key, value);
        },
        row.value);
  }
}

void write_keys(std::span<const ConfigKey> keys, const Config& config, JsonObject& json) {
  const auto json_text = [&](auto value) {
    if constexpr (std::is_member_pointer_v<decltype(value)>)
      return written(config.*value);
    else
      return std::string(value);
  };
  for (const ConfigKey& row : keys)
    for (const std::string_view key : {row.key, row.also})
      if (row.use != Use::demanded && !key.empty())
        json.add(key, JsonText{std::visit(json_text, row.value)});
}

// Checks the names that other families use for the same settings.
void check_other_names(const ConfigMembers& json, const Config& config) {
  for (const auto& [key, value] : {std::pair<std::string_view, Index>{"hidden_size", config.n_embd},
                                   {"num_hidden_layers", config.n_layer},
                                   {"num_attention_heads", config.n_head},
                                   {"max_position_embeddings", config.block_size}})
    json.demand(key, static_cast<double>(value));
}

constexpr std::string_view scaling_key = "rope_scaling", parameters_key = "rope_parameters";

// The rope_theta in rope_scaling or rope_parameters, which must not scale: type default, or a
// factor of 1.
double unscaled_theta(const ConfigMembers& rope, std::string_view where, double otherwise) {
  if (const auto all = rope.find("full_attention"))
    return unscaled_theta(ConfigMembers(*all), where, otherwise);
  std::string_view type = "default";
  for (const std::string_view key : {"type", "rope_type"})
    if (const auto named = rope.find(key)) type = named->string();
  const bool by_factor = type == "linear" || type == "dynamic";
  const std::string title = joined('"', where, "\": ");
  check(type == "default" || (by_factor && rope.number("factor", 0) == 1), title,
        where == scaling_key ? "" : joined("rope_type ", in_quotes(type), ": "),
        "scaled rotations are not supported; expected ", where == scaling_key ? "null" : "default");
  rope.find("original_max_position_embeddings");  // the length that a factor multiplies
  try {
    rope.demand("factor", 1.0);
    rope.demand("partial_rotary_factor", 1.0);
    otherwise = rope.number("rope_theta", otherwise);
    rope.refuse_others();
  } catch (const Error& error) {
    fail(title, error.what());
  }
  return otherwise;
}

// Since transformers 5 rope_theta is in rope_parameters, which rope_scaling was before.
double theta_of(const ConfigMembers& json, double theta) {
  for (const std::string_view key : {scaling_key, parameters_key})
    if (const auto found = json.find(key))
      theta = unscaled_theta(ConfigMembers(*found), key, theta);
  return theta;
}

// Layers that see only the last positions.
void check_sees_all(const ConfigMembers& json, const Config& config, Family family) {
  // Qwen3's programs read sliding_window only with use_sliding_window.
  const bool is_off = family == Family::qwen3 || json.has("use_sliding_window");
  const Index window =
      json.has("sliding_window") ? json.integer("sliding_window") : config.block_size;
  check(is_off || window >= config.block_size, "\"sliding_window\" is ", window,
        ", which gradus does not support; expected null");
  if (const auto layers = json.find("layer_types"))
    for (const Json::Value layer : layers->elements())
      check(layer.string() == "full_attention", "\"layer_types\" has ", in_quotes(layer.string()),
            ", which gradus does not support; expected full_attention only");
}

Config config_of(const ConfigMembers& json, Family family) {
  Config config = defaults_of(family);
  read_keys(transformers_keys, json, config);
  if (family == Family::gpt2) {
    read_keys(transformers_gpt2_keys, json, config);
    check_other_names(json, config);
  } else {
    if (family == Family::qwen3) config.head_dim = 128;  // if the file does not say
    read_keys(transformers_llama_keys, json, config);
    config.rope_theta = theta_of(json, config.rope_theta);
    check_sees_all(json, config, family);
  }
  json.refuse_others();
  config.validate();
  return without_sizes(config);
}

// An id, or the first of a list of them.
std::optional<Index> end_of(const ConfigMembers& json) {
  const auto end = json.find("eos_token_id");
  if (!end) return {};
  if (end->type() != Json::Type::array) return end->integer();
  for (const Json::Value id : end->elements()) return id.integer();
  return {};
}

}  // namespace

TransformersConfig read_transformers_config(std::string_view config_json) {
  const Json parsed(config_json);
  const ConfigMembers json(parsed.root());
  const std::string_view type = json.text("model_type");
  const Family family = family_named(type, "model_type ");
  const std::optional<Index> end = end_of(json);
  const bool appends_end_of_text = json.has(ends_texts_key) && json.at(ends_texts_key).boolean();
  return {family, config_of(json, family), end, appends_end_of_text};
}

std::vector<std::string> files_of_index(std::string_view index_json) {
  const Json json(index_json);
  std::vector<std::string> files;
  for (const Json::Value file : json.root().at("weight_map").members()) {
    const std::string name(file.string());
    check(!name.empty() && name.find_first_of("/\\:") == name.npos && name[0] != '.', "byte ",
          file.offset(), ": ", in_quotes(name), " is not the name of a file in this directory");
    files.push_back(name);
  }
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

GPT read_transformers_weights(const TransformersConfig& config,
                              const std::vector<SafetensorsFile>& files) {
  std::vector<TensorEntry> tensors;
  std::set<std::string> names;
  for (const SafetensorsFile& file : files)
    for (const TensorEntry& entry : file.tensors()) {
      std::string name = entry.name;
      // The names of a model without its head.
      constexpr std::string_view prefix = "transformer.";
      if (config.family == Family::gpt2 && !name.starts_with(prefix) && name != "lm_head.weight")
        name = std::string(prefix) + name;
      const bool is_buffer = name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") ||
                             name.ends_with(".rotary_emb.inv_freq");
      if (is_buffer) continue;
      check(names.insert(name).second, titled(entry.name), " is in two of the files");
      tensors.push_back({name, entry.dtype, entry.shape, entry.data});
    }
  return read_weights(config.config, config.family, std::move(tensors));
}

// --- Writing -------------------------------------------------------------------------------------

namespace {

// null if there is no such token: if the keys were missing, transformers' classes would use tokens
// of their own.
void add_end(JsonObject& json, std::optional<Index> end) {
  const JsonText id{end ? std::to_string(*end) : "null"};
  json.add("bos_token_id", id, "eos_token_id", id);
}

std::string config_json(const Config& config, const ByteLevel& tokens, std::optional<Index> end) {
  const Family family = family_of(config);
  JsonObject json(JsonObject::Layout::lines);
  json.add("architectures", json_array(std::array{tables(family).in_python}), "model_type",
           engine::name_of(family));
  write_keys(transformers_keys, config, json);
  add_end(json, end);
  if (tokens.appends_end_of_text) json.add(ends_texts_key, true);
  json.add("use_cache", true, "torch_dtype", "float32");
  if (family == Family::gpt2)
    write_keys(transformers_gpt2_keys, config, json);
  else
    write_keys(transformers_llama_keys, with_sizes(config), json);
  return json.text();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> transformers_files(const Config& config,
                                                                    const ByteLevel& tokens,
                                                                    std::optional<Index> end) {
  JsonObject generation(JsonObject::Layout::lines), tokenizer(JsonObject::Layout::lines);
  add_end(generation, end);
  // A generic tokenizer class: GPT2Tokenizer would add a token <|endoftext|>.
  tokenizer.add("tokenizer_class", "PreTrainedTokenizerFast", "model_max_length", config.block_size,
                "clean_up_tokenization_spaces", false);
  if (tokens.end_of_text)
    for (const std::string_view key : {"bos_token", "eos_token"})
      tokenizer.add(key, tokens.text(*tokens.end_of_text));
  return {{"config.json", config_json(config, tokens, end)},
          {"generation_config.json", generation.text()},
          {"tokenizer.json", tokenizer_json(tokens)},
          {"tokenizer_config.json", tokenizer.text()},
          {"vocab.json", vocab_json(tokens)},
          {"merges.txt", merges_txt(tokens)}};
}

}  // namespace model
