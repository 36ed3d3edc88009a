// GPT-2's two files, vocab.json and merges.txt, with a NUL between them.
#include "model/bpe_gpt2.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::bytes_of(data, size);
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const std::string_view vocabulary = bytes.substr(0, end);
  const std::string_view merges = bytes.substr(std::min(end + 1, bytes.size()));
  fuzz::accepts([&] {
    const auto tokenizer = model::read_gpt2_tokenizer(vocabulary, merges);
    // Written and read again it is the same.
    const auto again = model::read_gpt2_tokenizer(model::gpt2_vocab_json(*tokenizer),
                                                  model::gpt2_merges_txt(*tokenizer));
    fuzz::demand(again->save() == tokenizer->save());
  });
  return 0;
}
