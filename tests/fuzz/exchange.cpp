// Files of other programs: a JSON text that may be config.json, tokenizer.json or a list of weight
// files. A tokenizer that is accepted is the same when it is written again.
#include "model/exchange/transformers.h"
#include "tests/fuzz/fuzz.h"

using namespace model;

namespace {

void check_tokenizer(const Tokenizer& tokenizer) {
  const std::string text = "a b\n";
  UnknownSymbols unknown;
  (void)tokenizer.encode(text, &unknown);
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
    const ByteLevel tokens = read_tokenizer_json(bytes, 4);
    const TokenizerHandle tokenizer = tokenizer_of(tokens);
    check_tokenizer(*tokenizer);
    const ByteLevel again = read_tokenizer_json(tokenizer_json(tokens), 4);
    fuzz::demand(again.tokens == tokens.tokens && again.end_of_text == tokens.end_of_text &&
                 again.merges.size() == tokens.merges.size());
  });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_json(fuzz::bytes_of(data, size));
  return 0;
}
