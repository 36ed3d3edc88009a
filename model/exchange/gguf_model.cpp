#include "model/exchange/gguf_model.h"

#include <cstdint>

#include "model/exchange/config_keys.h"
#include "model/exchange/weights.h"

namespace model {

std::string difference_to_llama_cpp(const Config& config) {
  if (family_of(config) != Family::gpt2 || config.activation == nn::Activation::gelu_tanh)
    return "";
  check(config.activation == nn::Activation::gelu, "activation ",
        engine::name_of(config.activation), ": llama.cpp's GPT-2 has gelu_tanh");
  return "llama.cpp computes GELU by its tanh form, the model was trained with the exact one: "
         "logits differ in the third or fourth digit; --activation gelu_tanh trains for llama.cpp";
}

namespace {

// The settings under llama.cpp's keys, which begin with the name of the family.
void add_config(GgufWriter& writer, const Config& config) {
  const Family family = family_of(config);
  const Config sizes = with_sizes(config);
  const auto key_of = [&](std::string_view key) {
    return joined(engine::name_of(family), '.', key);
  };
  const auto integer = [&](std::string_view key, Index value) {
    writer.add_integer(key_of(key), static_cast<std::uint32_t>(value));
  };
  const auto number = [&](std::string_view key, double value) {
    writer.add_number(key_of(key), static_cast<float>(value));
  };
  integer("context_length", sizes.block_size);
  integer("embedding_length", sizes.n_embd);
  integer("block_count", sizes.n_layer);
  integer("feed_forward_length", sizes.n_inner);
  integer("attention.head_count", sizes.n_head);
  if (family == Family::gpt2) return number("attention.layer_norm_epsilon", sizes.norm_eps);
  integer("attention.head_count_kv", sizes.n_kv_head);
  integer("attention.key_length", sizes.head_dim);
  integer("attention.value_length", sizes.head_dim);
  number("attention.layer_norm_rms_epsilon", sizes.norm_eps);
  number("rope.freq_base", sizes.rope_theta);
  integer("rope.dimension_count", sizes.head_dim);
  integer("vocab_size", sizes.vocab_size);
}

constexpr std::int32_t normal = 1, control = 3, unused = 5;  // llama.cpp's types of tokens

// llama.cpp assumes that the embedding has as many rows as there are tokens.
void add_tokenizer(GgufWriter& writer, const ByteLevel& tokens, Index end, Index rows) {
  std::vector<std::string> texts, merges;
  std::vector<std::int32_t> types;
  for (Index id = 0; id < rows; ++id) {
    const bool is_token = id < std::ssize(tokens.tokens);
    texts.push_back(is_token ? tokens.text(id) : joined("[PAD", id, ']'));
    types.push_back(!is_token ? unused : id == tokens.end_of_text ? control : normal);
  }
  for (const Merge& merge : tokens.merges) merges.push_back(tokens.text(merge));
  writer.add_text("tokenizer.ggml.model", "gpt2");
  writer.add_text("tokenizer.ggml.pre", "gpt-2");
  writer.add_texts("tokenizer.ggml.tokens", texts);
  writer.add_integers("tokenizer.ggml.token_type", types);
  writer.add_texts("tokenizer.ggml.merges", merges);
  writer.add_integer("tokenizer.ggml.bos_token_id", static_cast<std::uint32_t>(end));
  writer.add_integer("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(end));
  writer.add_boolean("tokenizer.ggml.add_bos_token", false);
  writer.add_boolean("tokenizer.ggml.add_eos_token", false);
}

// llama.cpp's numbers for file types.
std::uint32_t file_type_of(Dtype dtype) {
  return dtype == Dtype::f16 ? 1 : dtype == Dtype::q8_0 ? 7 : dtype == Dtype::bf16 ? 32 : 0;
}

}  // namespace

GgufModel::GgufModel(GPT& gpt, const ByteLevel& tokens, Index end, std::string_view title,
                     Dtype dtype) {
  const Family family = family_of(gpt.config);
  writer_.add_text("general.architecture", engine::name_of(family));
  writer_.add_text("general.name", title);
  writer_.add_integer("general.file_type", file_type_of(dtype));
  writer_.add_integer("general.quantization_version", 2);
  add_config(writer_, gpt.config);
  add_tokenizer(writer_, tokens, end, gpt.config.vocab_size);
  for (const StoredTensor& tensor : foreign_tensors(gpt, family, Program::llama_cpp)) {
    const bool is_matrix = tensor.shape.size() == 2 && tensor.name != "position_embd.weight";
    Dtype chosen = is_matrix ? dtype : Dtype::f32;
    if (tensor.shape.back() % layout(chosen).block != 0) {
      chosen = Dtype::f16;
      fell_back_ = true;
    }
    writer_.add(tensor.name, tensor.shape, chosen, bytes_of(tensor, chosen, memory_));
  }
}

}  // namespace model
