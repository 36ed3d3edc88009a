// Files of other programs: a JSON text that may be config.json, tokenizer.json or a list of weight
// files. A tokenizer that is accepted is the same when it is written again.
#include "model/exchange/transformers.h"
#include "tests/fuzz/fuzz.h"

using namespace model;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::bytes_of(data, size);
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
    UnknownSymbols unknown;
    (void)tokenizer_of(tokens)->encode("a b\n", &unknown);
    const ByteLevel again = read_tokenizer_json(tokenizer_json(tokens), 4);
    fuzz::demand(again.tokens == tokens.tokens && again.end_of_text == tokens.end_of_text &&
                 again.merges.size() == tokens.merges.size());
  });
  return 0;
}
