// Models in the forms of other programs and back: the same weights, the same logits, the same ids;
// and what is refused. make interop runs the real programs.
#include <deque>
#include <map>
#include <optional>

#include "engine/base/check.h"
#include "model/base/files.h"
#include "model/exchange/gguf_model.h"
#include "model/exchange/transformers.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "tests/catch.h"
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

// Largest difference of two models' weights, which must have the same names and shapes.
double difference(GPT& a, GPT& b) {
  const auto left = nn::parameters(a), right = nn::parameters(b);
  REQUIRE(left.size() == right.size());
  double most = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    REQUIRE(left[i].name == right[i].name);
    REQUIRE(left[i].tensor.size() == right[i].tensor.size());
    for (std::size_t k = 0; k < left[i].tensor.values().size(); ++k)
      most = std::max<double>(most,
                              std::abs(left[i].tensor.values()[k] - right[i].tensor.values()[k]));
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
    const Config config =
        read_transformers_config(R"({"model_type": ")" + family + R"(", "vocab_size": 300,
      "hidden_size": 32, "intermediate_size": 50, "num_hidden_layers": 2,
      "num_attention_heads": 4, "max_position_embeddings": 9})")
            .config;
    Config expected =
        of_family(family == "llama" ? Family::llama : Family::qwen3,
                  {.vocab_size = 300, .block_size = 9, .n_layer = 2, .n_head = 4, .n_embd = 32});
    expected.n_inner = 50;
    expected.head_dim = family == "llama" ? 0 : 128;
    expected.norm_eps = 1e-6;
    expected.tie_weights = false;
    CHECK(config == expected);
    CHECK(config.position == nn::PositionKind::rope);
    CHECK(config.norm == nn::NormKind::rmsnorm);
    CHECK(config.activation == nn::Activation::swiglu);  // hidden_act: silu
    CHECK(config.hidden_size() == 50);
    CHECK(config.heads().keys == 4);  // num_key_value_heads: as many as heads
    CHECK(config.head_size() == (family == "qwen3" ? 128 : 8));
    CHECK(config.rope_theta == 10'000);
    CHECK_FALSE(config.bias);  // attention_bias, mlp_bias
    CHECK(config.qk_norm == (family == "qwen3"));
    CHECK(config.causal);
  }
}

TEST_CASE("exchange: what each tensor of another program holds of ours") {
  Config config = configs()["llama, 2 key heads, head of 6, own sizes"];
  GPT llama = random_gpt(config);
  std::map<std::string, StoredTensor> tensors;
  for (const StoredTensor& tensor : foreign_tensors(llama, Family::llama, Program::llama_cpp))
    tensors[tensor.name] = tensor;
  CHECK(tensors.size() == 3 + 2 * 9);
  const StoredTensor& keys = tensors.at("blk.1.attn_k.weight");
  CHECK(keys.shape == std::vector<Index>{12, 32});
  std::vector<real> values(12 * 32);
  copy_values(keys, values);
  const real* const ours = llama.h[1].attn.c_attn.weight.data() + 4 * 6 * 32;  // after the queries
  // The rows of head 1 are features 0 to 5: pairs 0 and 3, 1 and 4, 2 and 5 lie side by side.
  const int order[] = {0, 3, 1, 4, 2, 5};
  for (int row = 0; row < 6; ++row)
    for (int col = 0; col < 32; ++col)
      REQUIRE(values[std::size_t((6 + row) * 32 + col)] == ours[(6 + order[row]) * 32 + col]);
  CHECK(tensors.at("blk.0.ffn_up.weight").first_row == 40);
  CHECK(tensors.at("blk.0.ffn_gate.weight").first_row == 0);

  GPT gpt2 = random_gpt(configs()["gpt2"]);
  for (const StoredTensor& tensor : foreign_tensors(gpt2, Family::gpt2, Program::transformers)) {
    if (tensor.name == "transformer.h.0.attn.c_attn.bias") {
      CHECK(tensor.shape == std::vector<Index>{96});
      std::vector<real> bias(96, 1);
      copy_values(tensor, bias);
      CHECK(bias == std::vector<real>(96, 0));
    }
    if (tensor.name != "transformer.h.1.mlp.c_proj.weight") continue;
    CHECK(tensor.shape == std::vector<Index>{128, 32});  // (in, out)
    std::vector<real> transposed(128 * 32);
    copy_values(tensor, transposed);
    CHECK(transposed[5 * 32 + 3] == gpt2.h[1].mlp.c_proj.weight.data()[3 * 128 + 5]);
  }
}

TEST_CASE("exchange: names without a prefix, buffers, and a tied head that is written twice") {
  GPT gpt = random_gpt(configs()["gpt2 with biases"]);
  const TransformersConfig config{Family::gpt2, gpt.config, {}};
  const auto write = [&](std::string_view extra, std::span<const real> values,
                         bool with_prefix = false) {
    std::deque<model::FileBytes> memory;
    SafetensorsWriter writer(FileOf::others);
    for (const StoredTensor& tensor : foreign_tensors(gpt, Family::gpt2, Program::transformers))
      writer.add(with_prefix ? tensor.name : tensor.name.substr(12), tensor.shape, Dtype::f32,
                 bytes_of(tensor, Dtype::f32, memory));
    const std::string mask(12, '\1');
    std::string head_bytes;
    writer.add("h.0.attn.bias", {1, 1, 3, 4}, Dtype::boolean, mask);
    writer.add("model.layers.0.self_attn.rotary_emb.inv_freq", {12}, Dtype::boolean, mask);
    if (!extra.empty()) {
      head_bytes = encoded("x", Dtype::f32, values);
      writer.add(extra, {256, 32}, Dtype::f32, head_bytes);
    }
    return joined_pieces(writer.pieces());
  };
  const auto read = [&](const std::string& bytes) {
    return read_transformers_weights(config, {SafetensorsFile(bytes, FileOf::others)});
  };
  const std::span<const real> head = gpt.wte.weight.values();
  for (const std::string& bytes :
       {write("", {}), write("lm_head.weight", head), write("lm_head.weight", head, true)}) {
    GPT again = read(bytes);
    CHECK(difference(gpt, again) <= rounding);
  }
  const std::vector<real> other(head.size(), 0);
  CHECK(error_of([&] { read(write("lm_head.weight", other)); }) ==
        "tensor \"lm_head.weight\" is not the token embedding, though config.json says "
        "tie_word_embeddings");
  CHECK(error_of([&] { read(write("score.weight", other)); }) ==
        "tensor \"transformer.score.weight\" is not part of this architecture");
  const std::string bytes = write("", {});
  const SafetensorsFile file(bytes, FileOf::others);
  const std::vector<SafetensorsFile> twice = {file, file};
  CHECK_THROWS_WITH(read_transformers_weights(config, twice),
                    "tensor \"wte.weight\" is in two of the files");
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

TEST_CASE("exchange: tokenizers that no other program has") {
  CHECK_THROWS_WITH(
      byte_level(*train_tokenizer(TokenizerKind::word, "a b c")),
      "no other program has this tokenizer of words; train with --tokenizer byte or bpe");
  CHECK_THROWS_WITH(
      byte_level(CharTokenizer("a\xC3\xA9")),
      "other programs have no tokens for characters of several bytes, such as \"\xC3\xA9\"; train "
      "with --tokenizer byte or bpe");
  CHECK_THROWS_WITH(byte_level(DocumentTokenizer(std::make_shared<ByteTokenizer>(), "\xE9|")),
                    "the document separator, \"\\xe9|\", is not UTF-8");
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
      {R"("normalizer":null)", R"("normalizer":{"type":"NFC"})",
       "a normalizer changes the text before it is cut; expected none"},
      {R"("type":"ByteLevel")", R"("type":"Split")",
       "pre_tokenizer \"Split\": does not cut the text as GPT-2's tokenizer does, "
       "expected ByteLevel with use_regex and without add_prefix_space"},
      {R"("add_prefix_space":false)", R"("add_prefix_space":true)", "pre_tokenizer \"ByteLevel\""},
      {R"("use_regex":true)", R"("use_regex":false)", "pre_tokenizer \"ByteLevel\""},
      {R"("post_processor":null)", R"("post_processor":{"type":"TemplateProcessing"})",
       "post_processor \"TemplateProcessing\": adds tokens to the text, expected none or "
       "ByteLevel"},
      {R"("type":"BPE")", R"("type":"Unigram")", "model \"Unigram\", expected BPE"},
      {R"("byte_fallback":false)", R"("byte_fallback":true)",
       "model: byte_fallback is true, expected false"},
      {R"("byte_fallback":false)", R"("ignore_merges":true)",
       "model: ignore_merges is true, expected false"},
      {R"("end_of_word_suffix":"")", R"("end_of_word_suffix":"</w>")",
       "model: end_of_word_suffix is \"</w>\", expected none"},
      {R"("a b")", R"("a")", "merge \"a\", expected two tokens with a space between them"},
      {R"("a b")", R"(["a"])", "a merge of 1 tokens, expected 2"},
      {R"("a b")", R"("a zz")", "merge of \"zz\", which is not a token"},
      {R"("lstrip":false)", R"("lstrip":true)", "added token \"<e>\": lstrip is true"},
      {R"("rstrip":false)", R"("rstrip":true)", "added token \"<e>\": rstrip is true"},
      {R"("single_word":false)", R"("single_word":true)", "single_word is true"},
      {R"([{"id":258)", R"([{"id":257,"content":"<s>"},{"id":258)", "added token \"<s>\""},
      {R"("ab":256)", R"("ab":255)", "second token with the id 255"},
      {R"("ab":256)", R"("ab":600)", "id 600, expected each of 0..258 once"},
      {R"("ab":256)", R"("ab":-1)", "id -1, expected each of 0..258 once"},
      {R"("ab":256)", R"("":256)", "token 256 is empty"},
      {R"("ab":256)", R"("\u4e00":256)", "U+4E00 in a token stands for no byte"},
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
      {qwen3, R"("rope_scaling": null)", R"("rope_scaling": {"type": "linear"})", "rope_scaling"},
      {qwen3, R"("rope_scaling": null)", R"("rope_parameters": {"rope_type": "yarn"})",
       "rope_parameters"},
      {qwen3, R"("attention_bias": false)", R"("attention_bias": true)", "attention_bias"},
      {qwen3, R"("mlp_bias": false)", R"("use_sliding_window": true)", "use_sliding_window"},
      {qwen3, R"("hidden_act": "silu")", R"("hidden_act": "gelu")", "hidden_act"},
      {qwen3, R"("num_key_value_heads": 4)", R"("num_key_value_heads": 3)", "n_kv_head: "},
  };
  for (const auto& c : cases)
    CHECK_THAT(error_of_config(replaced(c.file, c.from, c.to)), Catch::Contains(c.expected));
  // The forms of other versions.
  const auto with = [](const std::string& file, std::string_view from, std::string_view to) {
    return read_transformers_config(replaced(file, from, to));
  };
  CHECK(with(gpt2, R"("tie_word_embeddings": true,)", "").config.tie_weights);
  CHECK_FALSE(with(qwen3, R"("tie_word_embeddings": true,)", "").config.tie_weights);
  CHECK(with(qwen3, R"("rope_scaling": null)", R"("rope_parameters": {"rope_theta": 500})")
            .config.rope_theta == 500);
  CHECK(with(gpt2, R"("n_positions": 9,)", "").config.block_size == 9);
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
  // The message about a file for `config` that has `other` in the place of the tensor `name`.
  const auto error = [&](const Config& config, std::string_view name = "",
                         const std::optional<TensorEntry>& other = {}) {
    std::deque<model::FileBytes> memory;
    SafetensorsWriter writer(FileOf::others);
    for (const StoredTensor& tensor : foreign_tensors(gpt, Family::gpt2, Program::transformers))
      if (tensor.name != name)
        writer.add(tensor.name, tensor.shape, Dtype::f32, bytes_of(tensor, Dtype::f32, memory));
      else if (other)
        writer.add(other->name, other->shape, other->dtype, other->data);
    const std::string bytes = joined_pieces(writer.pieces());
    return error_of([&] {
      (void)read_transformers_weights({Family::gpt2, config, {}},
                                      {SafetensorsFile(bytes, FileOf::others)});
    });
  };
  const std::string ones = encoded("w", Dtype::f32, std::vector<real>(96, 1)),
                    bias = "transformer.h.0.attn.c_attn.bias", norm = "transformer.ln_f.weight";
  CHECK(error(gpt.config, norm) == "tensor \"transformer.ln_f.weight\" is missing");
  CHECK(error(gpt.config, bias, TensorEntry{bias, Dtype::f32, {96}, ones}) ==
        "tensor \"transformer.h.0.attn.c_attn.bias\": element 0 is 1, but the file says that "
        "the model has no biases");
  CHECK(error(gpt.config, norm, TensorEntry{norm, Dtype::f32, {96}, ones}) ==
        "tensor \"transformer.ln_f.weight\" has shape (96), expected (32)");
  CHECK(error(gpt.config, norm, TensorEntry{norm, Dtype::i64, {12}, ones.substr(0, 96)}) ==
        "tensor \"transformer.ln_f.weight\" has shape (12), expected (32)");
  Config larger = gpt.config;
  larger.n_layer = 900;
  CHECK(error(larger) == "tensor \"transformer.h.2.ln_1.weight\" is missing");
  Config untied = gpt.config;
  untied.tie_weights = false;
  CHECK(error(untied) == "tensor \"lm_head.weight\" is missing");
  // A wrong name is reported before a wrong number, and a wrong number before its memory is
  // allocated.
  CHECK(error(gpt.config, bias, TensorEntry{"transformer.h.0.extra", Dtype::f32, {96}, ones}) ==
        "tensor \"transformer.h.0.extra\" is not part of this architecture");
  larger = gpt.config;
  larger.vocab_size = 1 << 24;
  CHECK_THAT(error(larger),
             Catch::Contains("weights but its architecture (2 layers, 32 channels) has"));
  Config longer = of_family(Family::llama, gpt.config);
  longer.block_size = 1 << 20;
  CHECK(error_of([&] { (void)read_weights(longer, Family::llama, {}); }) ==
        engine::joined("block_size: a context of 1048576 tokens is too long for a model of ",
                       longer.parameter_count(), " weights"));
}

TEST_CASE("exchange: architectures that no other program has") {
  const struct {
    const char* expected;
    Config config;
  } cases[] = {
      {"norm rmsnorm with position learned", {.norm = nn::NormKind::rmsnorm}},
      {"activation swiglu with position learned", {.activation = nn::Activation::swiglu}},
      {"qk_norm true with position learned", {.qk_norm = true}},
      {"n_kv_head 2 with position learned", {.n_kv_head = 2}},
      {"head_dim 6 with position learned", {.head_dim = 6}},
      {"norm layernorm with position rope", {.position = nn::PositionKind::rope}},
      {"activation gelu with position rope",
       {.position = nn::PositionKind::rope, .norm = nn::NormKind::rmsnorm}},
      {"bias true with position rope",
       {.bias = true,
        .activation = nn::Activation::swiglu,
        .position = nn::PositionKind::rope,
        .norm = nn::NormKind::rmsnorm}},
  };
  for (const auto& c : cases)
    CHECK_THROWS_WITH(
        family_of(c.config),
        std::string(c.expected) +
            ": only gradus computes this; models of --arch gpt2, llama and qwen3 can be exported");
  CHECK_THROWS_WITH(family_of({.causal = false}),
                    "causal false: GPT-2, Llama and Qwen3 hide later tokens");
  const auto scaled = [](double factor) {
    return error_of([&] { (void)family_of({.n_head = 2, .attention_scale = {factor}}); });
  };
  const std::string by = ": GPT-2, Llama and Qwen3 multiply attention scores by 1 / sqrt(64)";
  CHECK(scaled(1) == "attention_scale none" + by);
  CHECK(scaled(0.01) == "attention_scale 0.01" + by);
  CHECK(scaled(0.125) == "accepted");
  CHECK(difference_to_llama_cpp({.activation = nn::Activation::gelu_tanh}).empty());
  CHECK_THAT(difference_to_llama_cpp({}), Catch::Contains("tanh form"));
  CHECK(difference_to_llama_cpp(configs()["llama"]).empty());
  CHECK_THROWS_WITH(difference_to_llama_cpp({.activation = nn::Activation::relu}),
                    "activation relu: llama.cpp's GPT-2 has gelu_tanh");
}
