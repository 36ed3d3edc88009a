// Models of other programs: a .gguf, or a JSON text that may be config.json, tokenizer.json or a list
// of weight files. A model that is accepted has finite weights, and written again it is the same.
#include <algorithm>
#include <cmath>
#include <deque>

#include "model/exchange/gguf_model.h"
#include "model/exchange/transformers.h"
#include "tests/fuzz/fuzz.h"
#include "tests/pieces.h"

using namespace model;

namespace {

void check_finite(GPT& gpt) {
  for (const nn::NamedParameter& p : nn::parameters(gpt))
    fuzz::demand(std::ranges::all_of(p.tensor.values(),
                                     [](engine::real value) { return std::isfinite(value); }));
}

void check_same(GPT& a, GPT& b) {
  fuzz::demand(a.config == b.config);
  const auto left = nn::parameters(a), right = nn::parameters(b);
  for (std::size_t i = 0; i < left.size(); ++i)
    fuzz::demand(std::ranges::equal(left[i].tensor.values(), right[i].tensor.values()));
}

void check_tokenizer(const Tokenizer& tokenizer) {
  const std::string text = "a b\n";
  Index skipped = 0;
  (void)tokenizer.encode(text, &skipped);
}

void check_gguf(std::string_view bytes) {
  GgufModel read = read_gguf_model(GgufFile(bytes));
  check_finite(read.gpt);
  check_tokenizer(*read.tokenizer);
  if (read.tokenizer->vocabulary_size() > read.gpt.config.vocab_size) return;
  std::string again;
  if (!fuzz::accepts([&] {
        std::deque<engine::FileBytes> memory;
        GgufWriter writer;
        add_gguf_model(writer, read.gpt, byte_level(*read.tokenizer), read.end.value_or(0), "x",
                       Dtype::f32, memory);
        again = joined_pieces(writer.pieces());
      }))
    return;  // no UTF-8 text for the separator
  GgufModel second = read_gguf_model(GgufFile(again));
  check_same(read.gpt, second.gpt);
}

void check_json(std::string_view bytes) {
  fuzz::accepts([&] {
    const TransformersConfig config = read_transformers_config(bytes);
    (void)config.config.parameter_count();
    // No weights: refused before memory is taken for them.
    fuzz::demand(!fuzz::accepts([&] { (void)read_transformers_weights(config, {}); }));
  });
  fuzz::accepts([&] {
    for (const std::string& name : files_of_index(bytes))
      fuzz::demand(name.find('/') == name.npos && name[0] != '.');
  });
  fuzz::accepts([&] {
    const ByteLevel tokens = read_tokenizer_json(bytes, 1);
    const TokenizerHandle tokenizer = tokenizer_of(tokens);
    check_tokenizer(*tokenizer);
    const ByteLevel again = read_tokenizer_json(tokenizer_json(tokens), 1);
    fuzz::demand(again.tokens == tokens.tokens && again.separator == tokens.separator &&
                 again.merges.size() == tokens.merges.size());
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::bytes_of(data, size);
  fuzz::accepts([&] {
    if (bytes.starts_with("GGUF"))
      check_gguf(bytes);
    else
      check_json(bytes);
  });
  return 0;
}
