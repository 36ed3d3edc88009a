// Damaged files of other programs: changed at random they are refused in one line or read as a model
// with finite weights. (Most carry no checksum, so not every change can be found.)
#include <cmath>
#include <functional>

#include "model/base/text.h"
#include "model/base/utf8.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"
#include "tests/unit/model/error.h"
#include "tests/unit/model/exchange/exchange.h"

using namespace model;

namespace {

using Reader = std::function<void(std::string_view)>;

void check_finite(GPT& gpt) {
  for (const nn::NamedParameter& p : nn::parameters(gpt))
    for (const engine::real value : p.tensor.values()) REQUIRE(std::isfinite(value));
}

// A file of each format, and what reads it.
struct Format {
  std::string name, file;
  Reader read;
};

Config tiny(Family family) {
  return exchange::of_family(
      family, {.vocab_size = 262, .block_size = 3, .n_layer = 1, .n_head = 1, .n_embd = 4});
}

std::vector<Format> formats() {
  static const auto tokenizer = std::make_shared<DocumentTokenizer>(
      BpeTokenizer::train(std::vector<std::string_view>{"abcabcabcab", "cabcabc"}, 261), "<end>");
  GPT gpt2 = exchange::random_gpt(tiny(Family::gpt2));
  const auto texts = exchange::hf_texts(tiny(Family::qwen3), *tokenizer);
  std::vector<Format> all;
  all.push_back({"config.json", texts.at("config.json"), [](std::string_view bytes) {
                   read_transformers_config(bytes).config.validate();
                 }});
  all.push_back({"tokenizer.json", texts.at("tokenizer.json"), [](std::string_view bytes) {
                   (void)tokenizer_of(read_tokenizer_json(bytes, tokenizer->end_of_text()));
                 }});
  all.push_back(
      {"model.safetensors", exchange::hf_weights(gpt2), [](std::string_view bytes) {
         const SafetensorsFile file(bytes, FileOf::others);
         GPT gpt = read_transformers_weights({Family::gpt2, tiny(Family::gpt2), {}}, {file});
         check_finite(gpt);
       }});
  return all;
}

// Whether the bytes are refused; REQUIREs that it is in one printable line.
bool is_refused(const Format& format, std::string_view bytes) {
  const std::string line = error_of([&] { format.read(bytes); });
  REQUIRE(line.size() < 1000);
  REQUIRE(model::printable(line, 2000) == line);
  return line != "accepted";
}

}  // namespace

TEST_CASE("exchange: a file of another program with random changes is refused or a finite model") {
  engine::Generator generator(19);
  const auto draw = [&](std::size_t below) {
    std::int64_t drawn = 0;
    generator.randint(std::span(&drawn, 1), 0, static_cast<Index>(below));
    return static_cast<std::size_t>(drawn);
  };
  for (const Format& format : formats()) {
    CHECK_FALSE(is_refused(format, format.file));
    int refused = 0;
    for (int round = 0; round < 10'000; ++round) {
      std::string file = format.file;
      for (std::size_t changes = 1 + draw(3); changes > 0; --changes) {
        // Half of the changes are in the headers, where most can go wrong.
        const std::size_t at =
            draw(draw(2) == 0 ? std::min<std::size_t>(file.size(), 600) : file.size());
        switch (draw(5)) {
          case 0: file[at] = static_cast<char>(draw(256)); break;
          case 1: file[at] = static_cast<char>(file[at] ^ (1 << draw(8))); break;
          case 2: file.erase(at, 1 + draw(4)); break;
          case 3: file.insert(at, file.substr(draw(file.size()), 1 + draw(8))); break;
          default:  // a large number
            for (std::size_t i = at; i < std::min(file.size(), at + 8); ++i) file[i] = '\x7F';
        }
      }
      INFO(format.name << ", change " << round);
      refused += is_refused(format, file);
    }
    INFO(format.name);
    CHECK(refused > 2'000);
  }
}
