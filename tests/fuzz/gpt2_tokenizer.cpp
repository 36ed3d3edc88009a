// The two files of a GPT-2 tokenizer, a zero byte between them: untrusted. What is accepted is
// written as files that say the same, and gives back what it encodes.
#include <string>

#include "model/exchange/byte_level.h"
#include "model/format/json_writer.h"
#include "model/tokenizer/bpe/printable_bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/model/tokenizer/ids.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view both = fuzz::bytes_of(data, size);
  const std::size_t cut = std::min(both.find('\0'), both.size());
  const std::string_view merges = both.substr(std::min(cut + 1, both.size()));
  // A vocabulary needs all bytes, which no fuzzer would guess: a first '+' stands for them.
  std::string vocab(both.substr(0, cut));
  if (vocab.starts_with('+')) {
    std::string bytes = "{";
    for (int byte = 0; byte < 256; ++byte) {
      const char raw = static_cast<char>(byte);
      if (byte > 0) bytes += ',';
      bytes += model::json_string(model::printable_bytes({&raw, 1})) + ':' + std::to_string(byte);
    }
    vocab.replace(0, 1, bytes);
  }
  fuzz::accepts([&] {
    const auto tokenizer = model::read_gpt2_tokenizer(vocab, merges);
    const model::ByteLevel tokens = model::byte_level(*tokenizer);
    const auto again =
        model::read_gpt2_tokenizer(model::vocab_json(tokens), model::merges_txt(tokens));
    fuzz::demand(again->save() == tokenizer->save());
    fuzz::demand(tokenizer->decode(encode(*tokenizer, both)) == both);
  });
  return 0;
}
