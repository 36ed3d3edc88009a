#include "model/exchange/gguf_model.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/hash_map.h"
#include "engine/base/index.h"
#include "engine/base/number.h"
#include "engine/base/utf8.h"
#include "model/exchange/config_keys.h"
#include "model/exchange/weights.h"
#include "model/tokenizer/bpe/printable_bytes.h"

namespace model {

using engine::check;
using engine::fail;
using engine::in_quotes;
using engine::joined;

namespace {

// gradus's own keys: export fills GPT-2's biases with zeros; ByteLevel::ends_texts.
constexpr std::string_view bias_key = "gradus.bias", ends_key = "gradus.ends_texts";
constexpr std::int32_t normal = 1, control = 3, unused = 5;  // llama.cpp's types of tokens

// An f32 that was written from a short decimal number, as that number: 1e-5, not 9.9999997e-06.
double decimal(double value) {
  double result = value;
  (void)engine::parse_number(engine::number_text(static_cast<float>(value)), result);
  return result;
}

// The keys of a model of one family, which begin with its name.
class Keys {
 public:
  Keys(const GgufFile& file, Family family) : file_(file), prefix_(joined(name(family), '.')) {}

  bool has(std::string_view key) const { return file_.contains(full(key)); }
  Index integer(std::string_view key) const { return file_.integer(full(key)); }
  double number(std::string_view key) const { return decimal(file_.number(full(key))); }
  void read(std::string_view key, Index& value) const { value = integer(key); }
  void read(std::string_view key, double& value) const { value = number(key); }
  std::string_view text(std::string_view key) const { return file_.text(full(key)); }

 private:
  std::string full(std::string_view key) const { return prefix_ + std::string(key); }

  const GgufFile& file_;
  std::string prefix_;
};

// llama.cpp scales linearly where a file names a factor (0: none) but no type.
void check_unscaled(const Keys& keys) {
  const std::string_view type =
      keys.has("rope.scaling.type") ? keys.text("rope.scaling.type") : "linear";
  check(type == "none" || type == "linear", "rope.scaling.type is ", in_quotes(type),
        ": scaled rotations are not computed; expected none");
  for (const std::string_view key : {"rope.scaling.factor", "rope.scale_linear"}) {
    const double factor = keys.has(key) ? keys.number(key) : 1;
    check(type == "none" || factor == 0 || factor == 1, key, " is ", factor,
          ": scaled rotations are not computed; expected 1");
  }
}

Config config_of(const GgufFile& file, Family family) {
  const Keys keys(file, family);
  Config config = defaults_of(family);
  read_keys(gguf_keys, keys, config);
  config.tie_weights = file.find("output.weight") == nullptr;
  if (family == Family::gpt2) {
    read_keys(gguf_gpt2_keys, keys, config);
    config.bias = !file.contains(bias_key) || file.boolean(bias_key);
  } else {
    read_keys(gguf_llama_keys, keys, config);
    check_unscaled(keys);
    check(file.find("rope_freqs.weight") == nullptr,
          "tensor \"rope_freqs.weight\": scaled rotations are not computed");
  }
  const TensorEntry* const embedding = file.find("token_embd.weight");
  check(embedding != nullptr && embedding->shape.size() == 2,
        "tensor \"token_embd.weight\" is missing");
  config.vocab_size = embedding->shape[0];
  config.validate();
  if (family != Family::gpt2)
    for (const std::string_view key : {"attention.value_length", "rope.dimension_count"})
      if (keys.has(key))
        check(keys.integer(key) == config.head_size(), key, " is ", keys.integer(key),
              ", expected ", config.head_size(), ", the size of a head");
  return without_sizes(config);
}

TokenizerHandle tokenizer_in(const GgufFile& file, Family family, std::optional<Index> end) {
  const std::string_view kind = file.text("tokenizer.ggml.model");
  check(kind == "gpt2", "tokenizer.ggml.model is ", in_quotes(kind), ", expected gpt2");
  constexpr std::string_view split_key = "tokenizer.ggml.pre";
  if (file.contains(split_key) || family != Family::gpt2)
    check(file.text(split_key) == "gpt-2", split_key, " is ", in_quotes(file.text(split_key)),
          ": the text is cut in another way than GPT-2's tokenizer does, expected gpt-2");
  const std::vector<std::string_view> texts = file.texts("tokenizer.ggml.tokens");
  std::vector<Index> types(texts.size(), normal);
  if (file.contains("tokenizer.ggml.token_type"))
    types = file.integers("tokenizer.ggml.token_type");
  check(types.size() == texts.size(), "tokenizer.ggml.token_type has ", types.size(),
        " elements, expected ", texts.size());
  std::size_t size = texts.size();
  while (size > 0 && types[size - 1] == unused) --size;  // rows that only fill the embedding

  ByteLevel tokens;
  tokens.tokens.reserve(size);
  TextMap<Index> ids;
  ids.reserve(static_cast<Index>(size));
  for (std::size_t id = 0; id < size; ++id) {
    check(!texts[id].empty() && ids.insert(texts[id], static_cast<Index>(id)).second,
          "tokenizer.ggml.tokens: token ", id, ", ", in_quotes(texts[id]),
          ", is empty or there twice");
    tokens.tokens.push_back(types[id] == normal ? bytes_of_printable(texts[id])
                                                : std::string(texts[id]));
  }
  for (const std::string_view merge : file.texts("tokenizer.ggml.merges")) {
    const std::size_t space = std::min(merge.find(' '), merge.size());
    const Index *left = ids.find(merge.substr(0, space)),
                *right = ids.find(merge.substr(std::min(space + 1, merge.size())));
    check(left && right, "tokenizer.ggml.merges: ", in_quotes(merge),
          ", expected two tokens with a space between them");
    tokens.merges.push_back({static_cast<std::int32_t>(*left), static_cast<std::int32_t>(*right)});
  }
  if (end && 0 <= *end && *end < std::ssize(tokens.tokens) && engine::at(types, *end) == control)
    tokens.separator = static_cast<std::int32_t>(*end);
  tokens.ends_texts = file.contains(ends_key) && file.boolean(ends_key);
  return tokenizer_of(tokens);
}

}  // namespace

GgufModel read_gguf_model(const GgufFile& file) {
  const std::string_view architecture = file.text("general.architecture");
  const Family family = family_named(architecture, "general.architecture is ");
  const Config config = config_of(file, family);
  constexpr std::string_view end_key = "tokenizer.ggml.eos_token_id";
  std::optional<Index> end;
  if (file.contains(end_key)) end = file.integer(end_key);
  TokenizerHandle tokenizer = tokenizer_in(file, family, end);

  GPT gpt = read_weights(config, family, Program::llama_cpp, file.tensors());
  return {std::move(gpt), std::move(tokenizer), end};
}

// --- Writing -------------------------------------------------------------------------------------

std::string difference_to_llama_cpp(const Config& config) {
  if (family_of(config) != Family::gpt2 || config.activation == nn::Activation::gelu_tanh)
    return "";
  check(config.activation == nn::Activation::gelu, "activation ", nn::name(config.activation),
        ": llama.cpp's GPT-2 has gelu_tanh");
  return "llama.cpp computes GELU by its tanh form, the model was trained with the exact one: "
         "logits differ in the third or fourth digit; --activation gelu_tanh trains for llama.cpp";
}

namespace {

void add_config(GgufWriter& writer, const Config& config) {
  const Family family = family_of(config);
  const Config sizes = with_sizes(config);
  const auto write = [&](std::string_view row, auto value) {
    const std::string key = joined(name(family), '.', row);
    if constexpr (std::is_same_v<decltype(value), Index>)
      writer.add_integer(key, static_cast<std::uint32_t>(value));
    else if constexpr (std::is_same_v<decltype(value), double>)
      writer.add_number(key, static_cast<float>(value));
  };
  write_keys(gguf_keys, sizes, write);
  if (family != Family::gpt2) return write_keys(gguf_llama_keys, sizes, write);
  write_keys(gguf_gpt2_keys, sizes, write);
  writer.add_boolean(bias_key, config.bias);
}

// llama.cpp takes the number of tokens for that of the embedding's rows.
void add_tokenizer(GgufWriter& writer, const ByteLevel& tokens, Index end, Index rows) {
  std::vector<std::string> texts, merges;
  std::vector<std::int32_t> types;
  for (Index id = 0; id < rows; ++id) {
    const bool is_token = id < std::ssize(tokens.tokens);
    texts.push_back(is_token ? tokens.text(id) : joined("[PAD", id, ']'));
    types.push_back(!is_token ? unused : id == tokens.separator ? control : normal);
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
  if (tokens.ends_texts) writer.add_boolean(ends_key, true);
}

// llama.cpp's numbers of kinds of files.
std::uint32_t file_type_of(Dtype dtype) {
  return dtype == Dtype::f16 ? 1 : dtype == Dtype::q8_0 ? 7 : dtype == Dtype::bf16 ? 32 : 0;
}

}  // namespace

bool add_gguf_model(GgufWriter& writer, GPT& gpt, const ByteLevel& tokens, Index end,
                    std::string_view title, Dtype dtype, std::deque<engine::FileBytes>& memory) {
  const Family family = family_of(gpt.config);
  writer.add_text("general.architecture", name(family));
  writer.add_text("general.name", title);
  writer.add_integer("general.file_type", file_type_of(dtype));
  writer.add_integer("general.quantization_version", 2);
  add_config(writer, gpt.config);
  add_tokenizer(writer, tokens, end, gpt.config.vocab_size);
  bool fell_back = false;
  for (const StoredTensor& tensor : foreign_tensors(gpt, family, Program::llama_cpp)) {
    const bool is_matrix = tensor.shape.size() == 2 && tensor.name != "position_embd.weight";
    Dtype chosen = is_matrix ? dtype : Dtype::f32;
    if (tensor.shape.back() % layout(chosen).block != 0) {
      chosen = Dtype::f16;
      fell_back = true;
    }
    writer.add(tensor.name, tensor.shape, chosen, bytes_of(tensor, chosen, memory));
  }
  return fell_back;
}

}  // namespace model
