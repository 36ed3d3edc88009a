#include "model/exchange/config_members.h"

#include <algorithm>
#include <string>

#include "engine/base/number.h"
#include "model/base/utf8.h"
#include "model/base/words.h"

namespace model {
namespace {

// clang-format off
// Keys of config.json that are not read and change no logit: how the model was made, trained and
// saved, and how it samples. Real files of the hub have them.
constexpr std::string_view harmless_keys[] = {
    "architectures", "attn_implementation", "bad_words_ids", "begin_suppress_tokens",
    "chunk_size_feed_forward", "do_sample", "dtype", "early_stopping",
    "encoder_no_repeat_ngram_size", "finetuning_task", "gradient_checkpointing", "id2label",
    "initializer_factor", "initializer_range", "is_decoder", "is_llama_config", "label2id",
    "max_length", "max_sequence_length", "max_window_layers", "min_length", "model_max_length",
    "n_ctx", "n_special", "name_or_path", "no_repeat_ngram_size", "num_labels",
    "predict_special_tokens", "prefix", "problem_type", "reorder_and_upcast_attn", "return_dict",
    "suppress_tokens", "task_specific_params", "temperature", "tokenizer_class", "top_k", "top_p",
    "torch_dtype", "torchscript", "typical_p", "use_bfloat16", "use_cache", "xla_device"};
constexpr std::string_view harmless_beginnings[] = {
    "_", "diversity_", "length_", "num_beam", "num_return_", "output_", "repetition_", "summary_",
    "transformers", "unsloth_", "use_flash_att"};
constexpr std::string_view harmless_endings[] = {
    "dropout", "pdrop", "_token", "_token_id", "_token_ids"};
// clang-format on

bool is_harmless(std::string_view key) {
  return std::ranges::count(harmless_keys, key) > 0 ||
         std::ranges::any_of(harmless_beginnings,
                             [&](std::string_view begin) { return key.starts_with(begin); }) ||
         std::ranges::any_of(harmless_endings,
                             [&](std::string_view end) { return key.ends_with(end); });
}

// null, false and empty values request nothing.
bool says_no(Json::Value value) {
  switch (value.type()) {
    case Json::Type::null: return true;
    case Json::Type::boolean: return !value.boolean();
    case Json::Type::string: return value.string().empty();
    case Json::Type::array:
    case Json::Type::object: return value.size() == 0;
    case Json::Type::integer:
    case Json::Type::number: return false;
  }
  return false;
}

std::string text_of(Json::Value value) {
  switch (value.type()) {
    case Json::Type::null: return "null";
    case Json::Type::boolean: return value.boolean() ? "true" : "false";
    case Json::Type::string: return in_quotes(value.string());
    case Json::Type::integer: return joined(value.integer());
    case Json::Type::number: return engine::number_text(value.number());
    case Json::Type::array: return "a list";
    case Json::Type::object: return "an object";
  }
  return "";
}

}  // namespace

std::optional<Json::Value> ConfigMembers::find(std::string_view key) const {
  asked_.insert(key);
  const auto value = root_.find(key);
  return value && value->type() != Json::Type::null ? value : std::nullopt;
}

Json::Value ConfigMembers::at(std::string_view key) const {
  const auto value = find(key);
  check(value.has_value(), in_quotes(key), " is missing");
  return *value;
}

double ConfigMembers::number(std::string_view key, double otherwise) const {
  const auto value = find(key);
  return value ? value->number() : otherwise;
}

void ConfigMembers::demand(std::string_view key, std::string_view expected) const {
  const std::string found = text_of(at(key));
  check(found == expected, in_quotes(key), " is ", found,
        ", which gradus does not support; expected ", expected);
}

void ConfigMembers::demand(std::string_view key, double expected) const {
  const double found = number(key, expected);
  check(found == expected, in_quotes(key), " is ", found,
        ", which gradus does not support; expected ", expected);
}

void ConfigMembers::refuse_others() const {
  for (const Json::Value member : root_.members())
    if (!asked_.contains(member.key()) && !is_harmless(member.key()) && !says_no(member))
      fail(in_quotes(member.key()), " is ", text_of(member),
           ": gradus does not know this key, which may change what the model computes; "
           "expected no such key");
}

}  // namespace model
