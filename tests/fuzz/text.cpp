// Any bytes as a training text: the first two choose the tokenizer and whether it is saved and
// loaded; the rest is the text. Its first two bytes may also be the separator of documents. A text
// that is accepted decodes to the same bytes.
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/model/tokenizer/ids.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto kind =
      static_cast<model::TokenizerKind>(data[0] % engine::names_of<model::TokenizerKind>.size());
  const bool through_file = data[1] >= 128;
  const std::string_view text = fuzz::bytes_of(data, size).substr(2);
  const std::string_view separator = data[0] >= 128 ? text.substr(0, 2) : "";
  const model::Index bpe_size = 256 + data[1] % 128;
  fuzz::accepts([&] {
    model::TokenizerHandle tokenizer;
    if (separator.empty())
      tokenizer = model::train_tokenizer(kind, text, bpe_size);
    else
      tokenizer = std::make_shared<model::DocumentTokenizer>(
          model::train_tokenizer(kind, model::documents(std::span(&text, 1), separator), bpe_size),
          separator);
    if (through_file) tokenizer = model::load_tokenizer(tokenizer->save());
    const Ids ids = encode(*tokenizer, text);
    for (const std::int32_t id : ids) fuzz::demand(0 <= id && id < tokenizer->vocabulary_size());
    fuzz::demand(tokenizer->decode(ids) == text);
  });
  return 0;
}
