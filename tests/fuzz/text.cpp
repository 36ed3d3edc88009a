// Any bytes as a training text: two choose the tokenizer, the rest is the text, whose first two
// bytes may also be what keeps documents apart. What is accepted decodes to the same bytes, also by the tokenizer that a model file would bring back.
#include "model/tokenizer_documents.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr std::string_view kinds[] = {"char", "byte", "word", "bpe"};
  const std::string_view kind = kinds[data[0] % std::size(kinds)];
  const std::string_view text = fuzz::bytes_of(data, size).substr(2);
  fuzz::accepts([&] {
    model::TokenizerHandle trained;
    if (const std::string_view separator = text.substr(0, 2); data[0] >= 128 && !separator.empty())
      trained = std::make_shared<model::DocumentTokenizer>(
          model::train_tokenizer(kind, model::documents(std::span(&text, 1), separator),
                                 256 + data[1]),
          separator);
    else
      trained = model::train_tokenizer(kind, text, 256 + data[1]);
    for (const model::TokenizerHandle& t : {trained, model::load_tokenizer(trained->save())}) {
      const model::TokenIds ids = t->encode(text);
      std::vector<std::int32_t> all(static_cast<std::size_t>(ids.size()));
      ids.copy(0, all);
      for (const std::int32_t id : all) fuzz::demand(0 <= id && id < t->vocabulary_size());
      fuzz::demand(t->decode(all) == text);
    }
  });
  return 0;
}
