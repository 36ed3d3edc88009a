// Models in the forms of other programs and back: the same weights, the same logits, the same ids;
// and what is refused. make interop runs the real programs.
#include <deque>
#include <map>
#include <optional>

#include "engine/base/check.h"
#include "engine/ops.h"
#include "model/base/files.h"
#include "model/exchange/gguf_model.h"
#include "model/exchange/transformers.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "tests/catch.h"
#include "tests/golden.h"
#include "tests/unit/model/error.h"
#include "tests/unit/model/exchange/exchange.h"
#include "tests/unit/model/format/encoded.h"

using engine::Index;
using engine::real;
using namespace model;

namespace {

using exchange::configs;
using exchange::hf_texts;
using exchange::hf_weights;
using exchange::of_family;
using exchange::random_gpt;

// Largest difference of two tensors' values, which must have the same shape.
double difference(const engine::Tensor& a, const engine::Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  double most = 0;
  for (Index i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(double(a.data()[i] - b.data()[i])));
  return most;
}

// The same of two models' weights, which must have the same names.
double difference(GPT& a, GPT& b) {
  const auto left = nn::parameters(a), right = nn::parameters(b);
  REQUIRE(left.size() == right.size());
  double most = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    REQUIRE(left[i].name == right[i].name);
    most = std::max(most, difference(left[i].tensor, right[i].tensor));
  }
  return most;
}

// Files hold the weights of a double build rounded to float.
constexpr double rounding = sizeof(real) == 4 ? 0 : 1e-7;

std::string error_of_config(const std::string& file) {
  return error_of([&] { read_transformers_config(file); });
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  INFO("replace " << from);
  REQUIRE(at != text.npos);
  return text.replace(at, from.size(), to);
}

// The weights of a GPT-2 without one tensor, and with others.
std::string gpt2_file(GPT& gpt, std::string_view without, const std::vector<TensorEntry>& more) {
  std::deque<model::FileBytes> memory;
  SafetensorsWriter writer(FileOf::others);
  for (const StoredTensor& tensor : foreign_tensors(gpt, Family::gpt2, Program::transformers))
    if (tensor.name != without)
      writer.add(tensor.name, tensor.shape, Dtype::f32, bytes_of(tensor, Dtype::f32, memory));
  for (const TensorEntry& entry : more)
    writer.add(entry.name, entry.shape, entry.dtype, entry.data);
  return joined_pieces(writer.pieces());
}

}  // namespace

TEST_CASE("exchange: transformers' files and back are the same model, of every family") {
  for (const auto& [what, config] : configs()) {
    INFO(what);
    GPT gpt = random_gpt(config);
    const std::string weights = hf_weights(gpt);
    const auto texts = hf_texts(config, ByteTokenizer());
    const TransformersConfig read = read_transformers_config(texts.at("config.json"));
    CHECK(read.config == config);
    CHECK(read.end == 0);
    GPT again = read_transformers_weights(read, {SafetensorsFile(weights, FileOf::others)});
    CHECK(difference(gpt, again) <= rounding);
    CHECK_THROWS(SafetensorsFile(weights));  // no checksum of ours
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
      const std::string half = hf_weights(gpt, dtype);
      GPT rounded = read_transformers_weights(read, {SafetensorsFile(half, FileOf::others)});
      CHECK(difference(gpt, rounded) < (dtype == Dtype::f16 ? 1e-3 : 1e-2));
      CHECK(difference(gpt, rounded) > 0);
    }
  }
}

TEST_CASE("exchange: each name of an activation is the function that transformers means by it") {
  // transformers' ACT2FN: gelu_new and gelu_pytorch_tanh are the approximation by tanh, gelu is exact.
  const std::pair<std::string, nn::Activation> meant[] = {
      {"gelu_new", nn::Activation::gelu_tanh},
      {"gelu_pytorch_tanh", nn::Activation::gelu_tanh},
      {"gelu", nn::Activation::gelu},
      {"relu", nn::Activation::relu},
      {"relu2", nn::Activation::relu2}};
  for (const auto& [name, activation] : meant) {
    INFO(name);
    CHECK(read_transformers_config(
              R"({"model_type": "gpt2", "vocab_size": 300, "n_positions": 9, "n_embd": 32,
        "n_layer": 2, "n_head": 4, "activation_function": ")" +
              name + "\"}")
              .config.activation == activation);
  }
}

TEST_CASE("exchange: what an absent key of a config.json means, family by family") {
  // transformers' own defaults, from the documentation of GPT2Config, LlamaConfig and Qwen3Config.
  for (const std::string context : {"n_positions", "n_ctx"}) {
    INFO(context);
    const Config gpt2 =
        read_transformers_config(R"({"model_type": "gpt2", "vocab_size": 300, ")" + context +
                                 R"(": 9, "n_embd": 32, "n_layer": 2, "n_head": 4})")
            .config;
    CHECK(gpt2 == Config{.vocab_size = 300,
                         .block_size = 9,
                         .n_layer = 2,
                         .n_head = 4,
                         .n_embd = 32,
                         .bias = true,
                         .activation = nn::Activation::gelu_tanh,  // gelu_new
                         .position = nn::PositionKind::learned,
                         .norm = nn::NormKind::layernorm,
                         .qk_norm = false,
                         .tie_weights = true,
                         .norm_eps = 1e-5,
                         .causal = true});
    CHECK(gpt2.hidden_size() == 128);  // n_inner: 4 n_embd
    CHECK(gpt2.scales_by_sqrt());      // scale_attn_weights
  }
  for (const std::string family : {"llama", "qwen3"}) {
    INFO(family);
    const bool is_qwen3 = family == "qwen3";
    const Config config =
        read_transformers_config(R"({"model_type": ")" + family + R"(", "vocab_size": 300,
      "hidden_size": 32, "intermediate_size": 50, "num_hidden_layers": 2,
      "num_attention_heads": 4, "max_position_embeddings": 9})")
            .config;
    CHECK(config == Config{.vocab_size = 300,
                           .block_size = 9,
                           .n_layer = 2,
                           .n_head = 4,
                           .n_embd = 32,
                           .bias = false,                         // attention_bias, mlp_bias
                           .activation = nn::Activation::swiglu,  // hidden_act: silu
                           .position = nn::PositionKind::rope,
                           .norm = nn::NormKind::rmsnorm,
                           .qk_norm = is_qwen3,
                           .n_kv_head = 0,  // num_key_value_heads: as many as heads
                           .tie_weights = false,
                           .head_dim = is_qwen3 ? 128 : 0,
                           .n_inner = 50,
                           .norm_eps = 1e-6,
                           .rope_theta = 10'000,
                           .causal = true});
    CHECK(config.heads().keys == 4);
    CHECK(config.head_size() == (is_qwen3 ? 128 : 8));
  }
}

// Conv1D: y = x W + b with W (in, out), square ones too; a Linear layer has (out, in).
TEST_CASE("exchange: a GPT-2 of the hub has no prefix, and matrices from input to output") {
  const Index C = 10, inner = 22;
  std::map<std::string, engine::Tensor> tensors;
  std::deque<std::string> bytes;
  SafetensorsWriter writer(FileOf::others);
  const auto add = [&](const std::string& name, const engine::Shape& shape) {
    engine::Tensor& tensor = tensors["transformer." + name] = engine::Tensor::zeros(shape);
    golden::fill(tensor, std::ssize(tensors), 1);
    bytes.push_back(encoded(name, Dtype::f32, tensor.values()));
    writer.add(name, {shape.sizes().begin(), shape.sizes().end()}, Dtype::f32, bytes.back());
  };
  const auto add_layer = [&](const std::string& name, const engine::Shape& weight) {
    add(name + ".weight", weight);
    add(name + ".bias", {weight.cols()});
  };
  add("wte.weight", {13, C});
  add("wpe.weight", {7, C});
  for (const std::string block : {"h.0.", "h.1.", "h.2."}) {
    add_layer(block + "ln_1", {C});
    add_layer(block + "attn.c_attn", {C, 3 * C});
    add_layer(block + "attn.c_proj", {C, C});
    add_layer(block + "ln_2", {C});
    add_layer(block + "mlp.c_fc", {C, inner});
    add_layer(block + "mlp.c_proj", {inner, C});
  }
  add_layer("ln_f", {C});
  const std::string file = joined_pieces(writer.pieces());
  const TransformersConfig config = read_transformers_config(
      R"({"model_type": "gpt2", "n_embd": 10, "n_head": 2, "n_layer": 3, "n_positions": 7,
          "n_inner": 22, "vocab_size": 13})");
  GPT gpt = read_transformers_weights(config, {SafetensorsFile(file, FileOf::others)});
  for (const auto& [name, ours] : nn::parameters(gpt)) {
    INFO(name);
    const engine::Tensor theirs = tensors.at(name);
    const bool is_matrix = name.find(".c_") != name.npos && theirs.shape().rank() == 2;
    CHECK(difference(ours, is_matrix ? transpose(theirs) : theirs) <= rounding);
  }
}

TEST_CASE("exchange: buffers, a tied head that is written twice, and what does not belong there") {
  GPT gpt = random_gpt(configs()["gpt2 with biases"]);
  const TransformersConfig config{Family::gpt2, gpt.config, {}};
  const std::string mask(12, '\1');
  const auto write = [&](std::string_view extra, std::span<const real> values) {
    std::vector<TensorEntry> more = {
        {"h.0.attn.bias", Dtype::boolean, {1, 1, 3, 4}, mask},
        {"model.layers.0.self_attn.rotary_emb.inv_freq", Dtype::boolean, {12}, mask}};
    const std::string bytes = encoded("x", Dtype::f32, values);
    if (!extra.empty()) more.push_back({std::string(extra), Dtype::f32, {256, 32}, bytes});
    return gpt2_file(gpt, "", more);
  };
  const auto read = [&](const std::string& bytes) {
    return read_transformers_weights(config, {SafetensorsFile(bytes, FileOf::others)});
  };
  const std::span<const real> head = gpt.wte.weight.values();
  for (const std::string& bytes : {write("", {}), write("lm_head.weight", head)}) {
    GPT again = read(bytes);
    CHECK(difference(gpt, again) <= rounding);
  }
  const std::vector<real> other(head.size(), 0);
  CHECK_THROWS_WITH(read(write("lm_head.weight", other)),
                    Catch::StartsWith("tensor \"lm_head.weight\" is not the token embedding"));
  CHECK_THROWS_WITH(read(write("score.weight", other)),
                    Catch::StartsWith("tensor \"transformer.score.weight\" is not part of"));
  const std::string bytes = write("", {});
  const SafetensorsFile file(bytes, FileOf::others);
  CHECK_THROWS_WITH(read_transformers_weights(config, {file, file}),
                    Catch::StartsWith("tensor \"transformer.wte.weight\" is in two"));
}

TEST_CASE("exchange: tokenizers as other programs know them, and back: the same ids") {
  const std::string text =
      "The cat's 3 mats, the cat's \xC3\xA9"
      "clair...\n\nthe  end";
  const std::string ascii = "the cat, the mat\n";
  const auto bpe = BpeTokenizer::train(std::vector<std::string_view>{text, text}, 280);
  const auto bytes = std::make_shared<ByteTokenizer>();
  const auto chars = CharTokenizer::train(std::vector<std::string_view>{ascii});
  const TokenizerHandle tokenizers[] = {
      bytes,
      chars,
      std::make_shared<CharTokenizer>("abc", std::vector<Index>{0x80, 0xE9}),
      bpe,
      std::make_shared<DocumentTokenizer>(bpe, "<|endoftext|>"),
      std::make_shared<DocumentTokenizer>(bpe, "\n"),
      std::make_shared<DocumentTokenizer>(chars, "\n"),
      std::make_shared<DocumentTokenizer>(chars, "END"),
      std::make_shared<DocumentTokenizer>(bytes, "\xC3\xA9|")};
  for (const TokenizerHandle& tokenizer : tokenizers) {
    const ByteLevel tokens = byte_level(*tokenizer);
    const std::optional<Index> end = tokenizer->end_of_text();
    const TokenizerHandle from_json =
        tokenizer_of(read_tokenizer_json(tokenizer_json(tokens), end));
    for (const TokenizerHandle& again : {tokenizer_of(tokens), from_json}) {
      INFO(tokenizer->save());
      CHECK(again->kind() == tokenizer->kind());
      CHECK(again->end_of_text() == tokenizer->end_of_text());
      REQUIRE(again->vocabulary_size() == tokenizer->vocabulary_size());
      for (Index id = 0; id < again->vocabulary_size(); ++id)
        REQUIRE(again->token_bytes(id) == tokenizer->token_bytes(id));
      for (const std::string& sample :
           {text, ascii, std::string("bcb\xE9"), std::string("ENDthe\n")}) {
        UnknownSymbols unknown, unknown_again;
        const TokenIds a = tokenizer->encode(sample, &unknown),
                       b = again->encode(sample, &unknown_again);
        REQUIRE(a.size() == b.size());
        for (Index i = 0; i < a.size(); ++i) REQUIRE(a[i] == b[i]);
        CHECK(unknown.count == unknown_again.count);
        CHECK(unknown.first == unknown_again.first);
      }
    }
  }
  // The end of a text that is a token like any other ends nothing.
  const std::string json = tokenizer_json(byte_level(*bpe));
  CHECK_FALSE(read_tokenizer_json(json, 7).end_of_text);
  // One that is added is found in a text, whether or not it is special.
  const std::string added = replaced(tokenizer_json(byte_level(DocumentTokenizer(bpe, "<e>"))),
                                     R"("special":true)", R"("special":false)");
  CHECK(read_tokenizer_json(added, bpe->vocabulary_size()).end_of_text == bpe->vocabulary_size());
}

TEST_CASE("exchange: separators that no other program has") {
  CHECK_THROWS_WITH(byte_level(DocumentTokenizer(std::make_shared<ByteTokenizer>(), "\xE9|")),
                    Catch::Contains("is not UTF-8"));
  // 0xB6 and a space, as GPT-2 writes them.
  for (const std::string_view name : {"\u00B6", "\u0120"})
    CHECK_THROWS_WITH(byte_level(DocumentTokenizer(std::make_shared<ByteTokenizer>(), name)),
                      Catch::Contains("is the name of another token"));
}

TEST_CASE("exchange: tokenizer.json that asks for more than GPT-2's is refused by name") {
  const auto bpe = BpeTokenizer::train(std::vector<std::string_view>{"abcabcab", "abcabc"}, 258);
  const std::string good = tokenizer_json(byte_level(DocumentTokenizer(bpe, "<e>")));
  CHECK(read_tokenizer_json(good, 258).end_of_text == 258);
  // As in the file of GPT-2 on the hub.
  CHECK(read_tokenizer_json(replaced(good, R"("type":"BPE",)", ""), 258).end_of_text == 258);
  const auto merges = read_tokenizer_json(replaced(good, R"("a b")", R"(["a","b"])"), 258).merges;
  CHECK(merges.size() == 2);
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {R"("normalizer":null)", R"("normalizer":{"type":"NFC"})", "a normalizer"},
      {R"("type":"ByteLevel")", R"("type":"Split")", "pre_tokenizer \"Split\""},
      {R"("add_prefix_space":false)", R"("add_prefix_space":true)", "pre_tokenizer \"ByteLevel\""},
      {R"("use_regex":true)", R"("use_regex":false)", "pre_tokenizer \"ByteLevel\""},
      {R"("post_processor":null)", R"("post_processor":{"type":"TemplateProcessing"})",
       "post_processor \"TemplateProcessing\""},
      {R"("type":"BPE")", R"("type":"Unigram")", "model \"Unigram\""},
      {R"("byte_fallback":false)", R"("byte_fallback":true)", "byte_fallback is true"},
      {R"("byte_fallback":false)", R"("ignore_merges":true)", "ignore_merges is true"},
      {R"("end_of_word_suffix":"")", R"("end_of_word_suffix":"</w>")", "end_of_word_suffix is"},
      {R"("a b")", R"("a")", "merge \"a\""},
      {R"("a b")", R"(["a"])", "a merge of 1 tokens"},
      {R"("a b")", R"("a zz")", "merge of \"zz\""},
      {R"("lstrip":false)", R"("lstrip":true)", "added token \"<e>\": lstrip"},
      {R"("rstrip":false)", R"("rstrip":true)", "added token \"<e>\": rstrip"},
      {R"("single_word":false)", R"("single_word":true)", "added token \"<e>\": single_word"},
      {R"([{"id":258)", R"([{"id":257,"content":"<s>"},{"id":258)", "added token \"<s>\""},
      {R"("ab":256)", R"("ab":600)", "id 600"},
  };
  for (const auto& [from, to, expected] : cases)
    CHECK_THROWS_WITH(read_tokenizer_json(replaced(good, from, to), 258),
                      Catch::Contains(expected));
  // Tokens that transformers finds in a text and gradus does not, and the one that it finds elsewhere.
  CHECK_THROWS_WITH(read_tokenizer_json(good, {}),
                    Catch::Contains("added token \"<e>\", expected"));
  CHECK_THROWS_WITH(read_tokenizer_json(good, 257), Catch::Contains("added token \"<e>\""));
  const auto of_tokens = [](std::vector<std::string> tokens) {
    return tokenizer_of({.tokens = std::move(tokens), .merges = {}});
  };
  CHECK_THROWS_WITH(of_tokens({"b", "a"}),
                    Catch::Contains("is not greater than the character before it"));
  CHECK_THROWS_WITH(of_tokens({"\x80", "a"}), Catch::Contains("is not in the order of the bytes"));
}

TEST_CASE("exchange: config.json that asks for what gradus does not compute is refused by name") {
  const auto gpt2 = hf_texts(configs()["gpt2"], ByteTokenizer()).at("config.json");
  const auto qwen3 = hf_texts(configs()["qwen3"], ByteTokenizer()).at("config.json");
  const struct {
    const std::string& file;
    const char *from, *to, *expected;
  } cases[] = {
      {gpt2, R"("model_type": "gpt2")", R"("model_type": "mistral")", "model_type"},
      {gpt2, R"("gelu")", R"("swish")", "activation_function"},
      {gpt2, R"("scale_attn_weights": true)", R"("scale_attn_weights": false)",
       "scale_attn_weights"},
      {gpt2, R"("scale_attn_weights": true)", R"("add_cross_attention": true)",
       "add_cross_attention"},
      {gpt2, R"("n_embd": 32)", R"("n_embd": 0)", "n_embd: "},
      {gpt2, R"("n_embd": 32)", R"("x": 32)", "n_embd"},
      {gpt2, R"("n_head": 4)", R"("n_head": 5)", "n_head: "},
      {qwen3, R"("attention_bias": false)", R"("attention_bias": true)", "attention_bias"},
      {qwen3, R"("mlp_bias": false)", R"("mlp_bias": true)", "mlp_bias"},
      {qwen3, R"("hidden_act": "silu")", R"("hidden_act": "gelu")", "hidden_act"},
      {qwen3, R"("num_key_value_heads": 4)", R"("num_key_value_heads": 3)", "n_kv_head: "},
  };
  for (const auto& c : cases)
    CHECK_THAT(error_of_config(replaced(c.file, c.from, c.to)), Catch::Contains(c.expected));
  // The forms of other versions.
  const auto with = [](const std::string& file, std::string_view from, std::string_view to) {
    return read_transformers_config(replaced(file, from, to));
  };
  CHECK(with(qwen3, R"("rope_scaling": null)", R"("rope_parameters": {"rope_theta": 500})")
            .config.rope_theta == 500);
  CHECK(with(gpt2, R"("eos_token_id": 0)", R"("eos_token_id": [5, 6])").end == 5);
  CHECK_FALSE(with(gpt2, R"("eos_token_id": 0)", R"("eos_token_id": null)").end);

  CHECK(files_of_index(
            R"({"weight_map":{"a":"2.safetensors","b":"1.safetensors","c":"2.safetensors"}})") ==
        std::vector<std::string>{"1.safetensors", "2.safetensors"});
  for (const char* const name : {"../x", "/x", "", ".x"})
    CHECK_THAT(
        error_of([&] { files_of_index(engine::joined(R"({"weight_map":{"a":")", name, "\"}}")); }),
        Catch::Contains("is not the name of a file in this directory"));
}

TEST_CASE("exchange: config.json files as the hub has them are read") {
  // openai-community/gpt2, distilbert/distilgpt2, HuggingFaceTB/SmolLM2-135M,
  // TinyLlama/TinyLlama-1.1B-Chat-v1.0, Qwen/Qwen3-0.6B, and the last as transformers 5 saves it.
  const auto of_hub = [](const std::string& name) {
    return model::read_file("tests/unit/model/exchange/hub/" + name + ".json", 10'000);
  };
  const std::string gpt2 = of_hub("gpt2"), smollm = of_hub("smollm2"), qwen3 = of_hub("qwen3");
  const std::string newer = replaced(
      replaced(replaced(qwen3, R"("rope_scaling": null, "rope_theta": 1000000,)",
                        R"("rope_parameters": {"rope_theta": 1000000, "rope_type": "default"},
                           "layer_types": ["full_attention", "full_attention"],)"),
               R"("torch_dtype")", R"("dtype")"),
      R"("transformers_version": "4.51.0")", R"("transformers_version": "5.0.0")");
  for (const std::string& file :
       {gpt2, of_hub("distilgpt2"), smollm, of_hub("tinyllama"), qwen3, newer}) {
    INFO(file);
    CHECK(error_of_config(file) == "accepted");
  }
  CHECK(read_transformers_config(smollm).config.rope_theta == 100'000);
  CHECK(read_transformers_config(newer).config == read_transformers_config(qwen3).config);

  // Rotations that are scaled by nothing, and windows that are off.
  const auto with = [&](const std::string& members) {
    return replaced(qwen3, R"("rope_scaling": null)", members);
  };
  for (const char* const members :
       {R"("rope_scaling": {"type": "default"})", R"("rope_scaling": {"rope_type": "default"})",
        R"("rope_scaling": {"type": "linear", "factor": 1.0})",
        R"("rope_scaling": {"rope_type": "dynamic", "factor": 1,
            "original_max_position_embeddings": 40960})",
        R"("rope_parameters": {"rope_type": "default", "partial_rotary_factor": 1.0})",
        R"("rope_parameters": {"full_attention": {"rope_type": "default"},
            "sliding_attention": {"rope_type": "yarn"}})",
        R"("partial_rotary_factor": 1)", R"("max_window_layers_": false)", R"("moe": [])",
        R"("quantization_config": null)", R"("layer_types": null)", R"("is_causal": true)"}) {
    INFO(members);
    CHECK(error_of_config(with(members)) == "accepted");
    CHECK(read_transformers_config(with(members)).config.rope_theta == 1'000'000);
  }
  const std::pair<const char*, const char*> refused[] = {
      {R"("partial_rotary_factor": 0.5)", "partial_rotary_factor"},
      {R"("rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25})",
       "\"partial_rotary_factor\" is 0.25"},
      {R"("rope_parameters": {"full_attention": {"rope_type": "yarn", "factor": 4}})",
       "rope_type \"yarn\""},
      {R"("rope_parameters": {"rope_type": "default", "beta_fast": 32})", "beta_fast"},
      {R"("rope_scaling": {"type": "linear", "factor": 2.0})", "rope_scaling"},
      {R"("rope_scaling": {"type": "default", "factor": 2.0})",
       "\"rope_scaling\": \"factor\" is 2"},
      {R"("layer_types": ["full_attention", "sliding_attention"])",
       "\"layer_types\" has \"sliding_attention\""},
      {R"("logit_scale": 0.0625)", "logit_scale"},
      {R"("position_embedding_type": "alibi")", "\"position_embedding_type\" is \"alibi\": "},
      {R"("quantization_config": {"bits": 4})", "\"quantization_config\" is an object: "},
      {R"("no_rope_layers": [1, 1])", "\"no_rope_layers\" is a list: "},
      {R"("is_causal": false)", "\"is_causal\" is false"},
      {R"("rope_interleaved": true)", "\"rope_interleaved\" is true"},
      {R"("pretraining_tp": 2)", "\"pretraining_tp\" is 2"},
      {R"("attention_multiplier": 0.015625)", "\"attention_multiplier\" is 0.015625: "}};
  for (const auto& c : refused)
    CHECK_THAT(error_of_config(with(c.first)), Catch::Contains(c.second));
  // A window without a switch, in a family with programs that have none.
  const auto windowed = [&](const std::string& window) {
    return error_of_config(
        replaced(smollm, R"("rope_scaling": null)", "\"sliding_window\": " + window));
  };
  CHECK(windowed("null") == "accepted");
  CHECK(windowed("8192") == "accepted");
  CHECK(windowed("4096, \"use_sliding_window\": false") == "accepted");
  CHECK_THAT(windowed("4096"), Catch::Contains("\"sliding_window\" is 4096"));
  CHECK_THAT(windowed("4096, \"use_sliding_window\": true"), Catch::Contains("use_sliding_window"));
  // The names of other families, if they agree.
  const auto also = [&](const std::string& member) {
    return error_of_config(replaced(gpt2, R"("n_ctx")", member + ", \"n_ctx\""));
  };
  CHECK(also(R"("hidden_size": 768)") == "accepted");
  CHECK_THAT(also(R"("hidden_size": 1024)"), Catch::Contains("\"hidden_size\" is 1024"));
  CHECK_THAT(also(R"("rotary_dim": 64)"), Catch::Contains("\"rotary_dim\" is 64: "));
}

TEST_CASE("exchange: weights that are missing, misshapen, too few or not finite are refused") {
  GPT gpt = random_gpt(configs()["gpt2"]);
  // The message about a file for `config` that has `others` in the place of the tensor `name`.
  const auto error = [&](const Config& config, std::string_view name = "",
                         const std::vector<TensorEntry>& others = {}) {
    const std::string bytes = gpt2_file(gpt, name, others);
    return error_of([&] {
      (void)read_transformers_weights({Family::gpt2, config, {}},
                                      {SafetensorsFile(bytes, FileOf::others)});
    });
  };
  const std::string ones = encoded("w", Dtype::f32, std::vector<real>(96, 1)),
                    bias = "transformer.h.0.attn.c_attn.bias", norm = "transformer.ln_f.weight";
  CHECK(error(gpt.config, norm) == "tensor \"transformer.ln_f.weight\" is missing");
  CHECK(error(gpt.config, bias, {{bias, Dtype::f32, {96}, ones}}) ==
        "tensor \"transformer.h.0.attn.c_attn.bias\": element 0 is 1, but the file says that "
        "the model has no biases");
  CHECK(error(gpt.config, norm, {{norm, Dtype::f32, {96}, ones}}) ==
        "tensor \"transformer.ln_f.weight\" has shape (96), expected (32)");
  Config larger = gpt.config;
  larger.n_layer = 900;
  CHECK(error(larger) == "tensor \"transformer.h.2.ln_1.weight\" is missing");
  Config untied = gpt.config;
  untied.tie_weights = false;
  CHECK(error(untied) == "tensor \"lm_head.weight\" is missing");
  // A wrong name is reported before a wrong number, and a wrong number before its memory is
  // allocated.
  CHECK(error(gpt.config, bias, {{"transformer.h.0.extra", Dtype::f32, {96}, ones}}) ==
        "tensor \"transformer.h.0.extra\" is not part of this architecture");
  larger = gpt.config;
  larger.vocab_size = 1 << 24;
  CHECK_THAT(error(larger),
             Catch::Contains("weights but its architecture (2 layers, 32 channels) has"));
}

TEST_CASE("exchange: architectures that no other program has") {
  const struct {
    const char* expected;
    Config config;
  } cases[] = {
      {"attention_scale 0.01", {.n_head = 2, .attention_scale = {0.01}}},
      {"activation swiglu", {.activation = nn::Activation::swiglu}},
      {"qk_norm true", {.qk_norm = true}},
      {"n_kv_head 2", {.n_kv_head = 2}},
      {"head_dim 6", {.head_dim = 6}},
      {"norm layernorm", {.position = nn::PositionKind::rope}},
      {"activation gelu", {.position = nn::PositionKind::rope, .norm = nn::NormKind::rmsnorm}},
      {"bias true",
       {.bias = true,
        .activation = nn::Activation::swiglu,
        .position = nn::PositionKind::rope,
        .norm = nn::NormKind::rmsnorm}},
  };
  for (const auto& c : cases) CHECK_THROWS_WITH(family_of(c.config), Catch::StartsWith(c.expected));
  CHECK(family_of({.n_head = 2, .attention_scale = {0.125}}) == Family::gpt2);
  CHECK(difference_to_llama_cpp({.activation = nn::Activation::gelu_tanh}).empty());
  CHECK_THAT(difference_to_llama_cpp({}), Catch::Contains("tanh form"));
  CHECK(difference_to_llama_cpp(configs()["llama"]).empty());
  CHECK_THROWS_WITH(difference_to_llama_cpp({.activation = nn::Activation::relu}),
                    Catch::StartsWith("activation relu"));
}
