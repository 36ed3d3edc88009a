// The meaning of exported files, without a reader of ours: at the places that the formats define are
// the numbers that make_families.py gives transformers' tensors of those names, and the keys describe
// its models. And back: a config.json written by hand and its tensors, read as PyTorch reads them.
#include <cstring>
#include <deque>

#include "model/exchange/gguf_model.h"
#include "model/exchange/transformers.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "tests/pieces.h"
#include "tests/reference/families.h"
#include "tests/unit/model/format/encoded.h"

using engine::Index;
using engine::joined;

namespace {

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number;
  REQUIRE(at + sizeof number <= bytes.size());
  std::memcpy(&number, bytes.data() + at, sizeof number);  // little-endian, as this machine is
  return number;
}

std::vector<float> floats_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::vector<float> values(count);
  REQUIRE(at + 4 * count <= bytes.size());
  std::memcpy(values.data(), bytes.data() + at, 4 * count);
  return values;
}

// A key of a file and its number.
struct Key {
  const char* name;
  double value;
  Key(const char* name_, auto value_) : name(name_), value(static_cast<double>(value_)) {}
};

// Models with an epsilon and a base that are not their family's, heads of 8 and of 6 features.
struct Model {
  std::string arch;
  model::Config config;
};
Model qwen3() {
  return {"qwen3", reference::config_of(model::Family::qwen3,
                                        {256, 8, 2, 4, 12, 2, 8, 16, false, 3e-3, 1234})};
}
Model llama() {
  return {"llama", reference::config_of(model::Family::llama,
                                        {256, 8, 2, 4, 12, 2, 6, 16, true, 3e-3, 20'000})};
}

// Learned from a few words: 258 tokens.
auto bpe_tokenizer() {
  return model::BpeTokenizer::train(std::vector<std::string_view>{"a bb a bb", "bb bb"}, 258);
}

// A .gguf by its specification: 4 bytes GGUF, u32 version, u64 tensors, u64 keys; a key is a string
// (u64 length, bytes), a u32 type and a value; a tensor a string, u32 axes, u64 sizes, u32 type, u64
// offset into what follows the padding to a multiple of 32.
struct Gguf {
  struct Tensor {
    std::vector<std::uint64_t> sizes;  // the fastest axis first
    std::uint32_t type;
    std::uint64_t offset;
  };
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<std::string>> lists;  // arrays of texts
  std::map<std::string, std::vector<double>> rows;        // arrays of numbers
  std::map<std::string, Tensor> tensors;
  std::string bytes;
  std::size_t at = 0, data = 0;

  explicit Gguf(std::string file) : bytes(std::move(file)) {
    REQUIRE(bytes.substr(0, 4) == "GGUF");
    REQUIRE(number_at<std::uint32_t>(bytes, 4) == 3);
    const auto tensor_count = number_at<std::uint64_t>(bytes, 8),
               key_count = number_at<std::uint64_t>(bytes, 16);
    at = 24;
    for (std::uint64_t i = 0; i < key_count; ++i) {
      const std::string key = text();
      value(key, take<std::uint32_t>());
    }
    for (std::uint64_t i = 0; i < tensor_count; ++i) {
      Tensor& tensor = tensors[text()];
      tensor.sizes.resize(take<std::uint32_t>());
      for (std::uint64_t& size : tensor.sizes) size = take<std::uint64_t>();
      tensor.type = take<std::uint32_t>();
      tensor.offset = take<std::uint64_t>();
    }
    data = (at + 31) / 32 * 32;
  }
  std::vector<float> values(const std::string& name) const {
    const Tensor& tensor = tensors.at(name);
    REQUIRE(tensor.type == 0);  // float32
    std::size_t count = 1;
    for (const std::uint64_t size : tensor.sizes) count *= size;
    return floats_at(bytes, data + tensor.offset, count);
  }

 private:
  template <class Number>
  Number take() {
    const Number number = number_at<Number>(bytes, at);
    at += sizeof number;
    return number;
  }
  std::string text() {
    const auto size = take<std::uint64_t>();
    REQUIRE(size <= bytes.size() - at);
    at += size;
    return bytes.substr(at - size, size);
  }
  void value(const std::string& key, std::uint32_t type) {
    switch (type) {
      case 4: numbers[key] = take<std::uint32_t>(); return;
      case 5: numbers[key] = take<std::int32_t>(); return;
      case 6: numbers[key] = static_cast<double>(take<float>()); return;
      case 7: numbers[key] = take<std::uint8_t>(); return;
      case 8: texts[key] = text(); return;
      case 9: {  // an array: type and count of its elements
        const auto element = take<std::uint32_t>();
        const auto count = take<std::uint64_t>();
        lists[key], rows[key];
        for (std::uint64_t i = 0; i < count; ++i) {
          value(key, element);
          if (element == 8)
            lists[key].push_back(texts[key]);
          else
            rows[key].push_back(numbers[key]);
        }
        return;
      }
      default: FAIL("a value of type " << type);
    }
  }
};

// These keys of its architecture have these numbers, and those of every model are llama.cpp's.
void check_keys(const Gguf& file, std::initializer_list<Key> keys) {
  for (const auto& [name, value] : keys) {
    const std::string key = file.texts.at("general.architecture") + '.' + name;
    INFO(key);
    REQUIRE(file.numbers.contains(key));
    CHECK(file.numbers.at(key) == value);
  }
  CHECK(file.texts.at("general.name") == "tale");
  CHECK(file.numbers.at("general.quantization_version") == 2);
  // llama.cpp must not add what gradus does not: a prompt is read as it is.
  CHECK(file.numbers.at("tokenizer.ggml.add_bos_token") == 0);
  CHECK(file.numbers.at("tokenizer.ggml.add_eos_token") == 0);
}

std::string gguf_of(model::GPT& gpt, Index end,
                    const model::Tokenizer& tokenizer = model::ByteTokenizer(),
                    model::Dtype dtype = model::Dtype::f32) {
  return joined_pieces(
      model::GgufModel(gpt, model::byte_level(tokenizer), end, "tale", dtype).pieces());
}

}  // namespace

TEST_CASE("reference: an exported .gguf holds llama.cpp's keys and rows") {
  // Those of layers are in blk.N.
  const std::map<std::string, std::string> names = {{"model.embed_tokens", "token_embd"},
                                                    {"model.norm", "output_norm"},
                                                    {"lm_head", "output"},
                                                    {"input_layernorm", "attn_norm"},
                                                    {"self_attn.q_proj", "attn_q"},
                                                    {"self_attn.k_proj", "attn_k"},
                                                    {"self_attn.v_proj", "attn_v"},
                                                    {"self_attn.o_proj", "attn_output"},
                                                    {"self_attn.q_norm", "attn_q_norm"},
                                                    {"self_attn.k_norm", "attn_k_norm"},
                                                    {"post_attention_layernorm", "ffn_norm"},
                                                    {"mlp.gate_proj", "ffn_gate"},
                                                    {"mlp.up_proj", "ffn_up"},
                                                    {"mlp.down_proj", "ffn_down"}};
  for (const Model& m : {qwen3(), llama()}) {
    INFO(m.arch);
    model::GPT gpt(m.config);
    reference::fill(gpt);
    const Gguf file(gguf_of(gpt, 10));
    const Index D = m.config.head_size();
    CHECK(file.texts.at("general.architecture") == m.arch);
    CHECK(file.numbers.at("tokenizer.ggml.eos_token_id") == 10);
    check_keys(file,
               {Key("embedding_length", 12), Key("feed_forward_length", 16), Key("block_count", 2),
                Key("attention.head_count", 4), Key("attention.head_count_kv", 2),
                Key("attention.key_length", D), Key("attention.value_length", D),
                Key("context_length", 8), Key("attention.layer_norm_rms_epsilon", 3e-3f),
                Key("rope.freq_base", m.arch == "qwen3" ? 1234 : 20'000),
                Key("rope.dimension_count", D), Key("vocab_size", 256)});
    Index k = 0;
    for (const reference::Part& part : reference::parts_of(gpt)) {
      INFO(part.name);
      std::vector<float> expected = reference::values_of<float>(part, k++);
      const std::string stem = part.name.substr(0, part.name.rfind('.')), layers = "model.layers.";
      const std::string name =
          (stem.starts_with(layers)
               ? joined("blk.", stem[layers.size()], '.', names.at(stem.substr(layers.size() + 2)))
               : names.at(stem)) +
          ".weight";
      // ggml turns Llama's neighbors, transformers features half a head apart: row 2i + s of a head
      // is transformers' row i + s D/2. Qwen3 turns halves in both.
      if (m.arch == "llama" &&
          (name.find("attn_q.") != name.npos || name.find("attn_k.") != name.npos)) {
        const std::vector<float> rows = expected;
        const Index width = part.width();
        for (Index row = 0; row < part.rows; ++row) {
          const Index head = row / D, i = row % D / 2, s = row % 2;
          for (Index j = 0; j < width; ++j)
            expected[static_cast<std::size_t>(row * width + j)] =
                rows[static_cast<std::size_t>((head * D + i + s * D / 2) * width + j)];
        }
      }
      CHECK((file.values(name) == expected));
      CHECK(file.tensors.at(name).sizes[0] ==
            static_cast<std::uint64_t>(part.tensor.shape().rank() == 1 ? part.rows : part.width()));
    }
    CHECK(static_cast<Index>(file.tensors.size()) == k);
  }
}

TEST_CASE("reference: an exported .gguf of a GPT-2 holds its rows as they are, and biases of 0") {
  model::Config config{.vocab_size = 256, .block_size = 5, .n_layer = 2, .n_head = 2, .n_embd = 32};
  config.activation = nn::Activation::gelu_tanh;
  model::GPT gpt(config);
  engine::Generator generator(3);
  for (const nn::NamedParameter& p : nn::parameters(gpt))
    generator.normal(p.tensor.mutable_values(), 0, 1);
  const Gguf file(gguf_of(gpt, 10));
  CHECK(file.texts.at("general.architecture") == "gpt2");
  CHECK(file.numbers.at("general.file_type") == 0);
  CHECK(file.bytes.size() % 32 == 0);
  check_keys(file, {Key("context_length", 5), Key("embedding_length", 32),
                    Key("feed_forward_length", 128), Key("block_count", 2),
                    Key("attention.head_count", 2), Key("attention.layer_norm_epsilon", 1e-5f)});
  const auto check_same = [&](const std::string& name, const engine::Tensor& ours) {
    INFO(name);
    const std::vector<float> expected(ours.values().begin(), ours.values().end());
    CHECK((file.values(name) == expected));
  };
  check_same("token_embd.weight", gpt.wte.weight);
  check_same("position_embd.weight", gpt.wpe.weight);
  check_same("output_norm.weight", gpt.ln_f.weight);
  check_same("blk.1.attn_norm.weight", gpt.h[1].ln_1.weight);
  check_same("blk.1.attn_qkv.weight", gpt.h[1].attn.c_attn.weight);
  check_same("blk.1.attn_output.weight", gpt.h[1].attn.c_proj.weight);
  check_same("blk.1.ffn_norm.weight", gpt.h[1].ln_2.weight);
  check_same("blk.1.ffn_up.weight", gpt.h[1].mlp.c_fc.weight);
  check_same("blk.1.ffn_down.weight", gpt.h[1].mlp.c_proj.weight);
  CHECK(file.values("blk.1.attn_qkv.bias") == std::vector<float>(96, 0));
  CHECK(file.tensors.size() == 4 + 2 * 12);
  // Types of llama.cpp: vectors and positions stay float32 (0) where matrices are float16 (1), bfloat16
  // (30) or blocks (8). Their bytes: tensor_entry_test.cpp.
  for (const auto& [dtype, type, file_type] :
       {std::tuple(model::Dtype::f16, 1u, 1), std::tuple(model::Dtype::bf16, 30u, 32),
        std::tuple(model::Dtype::q8_0, 8u, 7)}) {
    const Gguf rounded(gguf_of(gpt, 10, model::ByteTokenizer(), dtype));
    CHECK(rounded.numbers.at("general.file_type") == file_type);
    for (const auto& [name, tensor] : rounded.tensors)
      CHECK(tensor.type == (tensor.sizes.size() == 2 && name != "position_embd.weight" ? type : 0));
    const std::string matrix = encoded("w", dtype, gpt.h[1].mlp.c_proj.weight.values());
    const std::uint64_t offset = rounded.tensors.at("blk.1.ffn_down.weight").offset;
    CHECK((rounded.bytes.substr(rounded.data + offset, matrix.size()) == matrix));
  }
}

TEST_CASE("reference: the tokenizer of an exported .gguf is the one llama.cpp knows as gpt2's") {
  model::Config config = qwen3().config;
  config.vocab_size = 260;  // a row that is no token
  model::GPT gpt(config);
  const auto bpe = bpe_tokenizer();
  const Gguf file(gguf_of(gpt, 258, model::DocumentTokenizer(bpe, "<end>")));
  CHECK(file.texts.at("tokenizer.ggml.model") == "gpt2");
  CHECK(file.texts.at("tokenizer.ggml.pre") == "gpt-2");
  const std::vector<std::string>& tokens = file.lists.at("tokenizer.ggml.tokens");
  REQUIRE(tokens.size() == 260);
  CHECK(tokens['b'] == "b");
  CHECK(tokens[' '] == "\xC4\xA0");   // U+0120
  CHECK(tokens['\n'] == "\xC4\x8A");  // U+010A
  const std::vector<std::string> last = {"bb", tokens[' '] + "bb", "<end>", "[PAD259]"};
  CHECK(std::vector(tokens.begin() + 256, tokens.end()) == last);
  CHECK(file.lists.at("tokenizer.ggml.merges") == std::vector<std::string>{"b b", "\xC4\xA0 bb"});
  std::vector<double> types(260, 1);
  types[258] = 3, types[259] = 5;  // control, unused
  CHECK(file.rows.at("tokenizer.ggml.token_type") == types);
  for (const char* const end : {"bos", "eos"})
    CHECK(file.numbers.at(std::string("tokenizer.ggml.") + end + "_token_id") == 258);
  // Without a token of its own for the end, a character is named as it, which stays one that is written.
  std::fill(types.begin() + 258, types.end(), 5);
  CHECK(Gguf(gguf_of(gpt, 'b', *bpe)).rows.at("tokenizer.ggml.token_type") == types);
}

TEST_CASE("reference: a model of transformers, written by hand, computes what PyTorch does") {
  const reference::Numbers numbers("tests/reference/families.txt");
  // Keys in the spelling of files on the hub; what is absent has transformers' default.
  for (const auto& [name, config_json] :
       {std::pair{
            "llama_grouped",
            R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
                 "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
                 "num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-05,
                 "max_position_embeddings": 7, "vocab_size": 11, "tie_word_embeddings": false})"},
        {"llama_wide",
         R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
             "hidden_size": 12, "intermediate_size": 20, "num_hidden_layers": 3, "head_dim": 6,
             "num_attention_heads": 3, "num_key_value_heads": 3, "rms_norm_eps": 1e-06,
             "rope_theta": 1000000.0, "max_position_embeddings": 9, "vocab_size": 9,
             "tie_word_embeddings": true})"},
        {"qwen3_grouped",
         R"({"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_act": "silu",
             "hidden_size": 12, "intermediate_size": 16, "num_hidden_layers": 2, "head_dim": 8,
             "num_attention_heads": 4, "num_key_value_heads": 1, "rms_norm_eps": 1e-06,
             "rope_theta": 1000000, "rope_scaling": null, "max_position_embeddings": 8,
             "vocab_size": 10, "tie_word_embeddings": true, "use_sliding_window": false})"}}) {
    INFO(name);
    const model::TransformersConfig config = model::read_transformers_config(config_json);
    // The tensors of make_families.py, one after another.
    model::GPT shapes(config.config);
    std::deque<std::vector<float>> values;
    model::SafetensorsWriter writer(model::FileOf::others);
    for (const reference::Part& part : reference::parts_of(shapes)) {
      values.push_back(reference::values_of<float>(part, std::ssize(values)));
      std::vector<Index> shape = {part.rows};
      if (part.tensor.shape().rank() == 2) shape.push_back(part.width());
      writer.add(part.name, shape, values.back());
    }
    const std::string file = joined_pieces(writer.pieces());
    const model::GPT gpt = model::read_transformers_weights(
        config, {model::SafetensorsFile(file, model::FileOf::others)});

    const Index B = 2, T = gpt.config.block_size;
    const std::vector<std::int32_t> ids = reference::ids_of(B * T, gpt.config.vocab_size);
    // The file's weights are float32, so in double too the rounding of float remains.
    numbers.check(joined(name, ".logits"), reference::values(gpt.logits(ids, B, T)), 1e-5);
  }
}
