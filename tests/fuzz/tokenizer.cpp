// A tokenizer as a model file describes it: untrusted. What is accepted saves as what it was, and
// decodes what it encodes.
#include "model/tokenizer/factory.h"

#include "tests/fuzz/fuzz.h"
#include "tests/unit/model/tokenizer/ids.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view saved = fuzz::bytes_of(data, size);
  model::TokenizerHandle tokenizer;
  if (!fuzz::accepts([&] { tokenizer = model::load_tokenizer(saved); })) return 0;
  fuzz::demand(tokenizer->vocabulary_size() > 0);
  fuzz::demand(model::load_tokenizer(tokenizer->save())->save() == tokenizer->save());
  // The file's own text is as good as any to be encoded; refused, unless what is unknown is
  // skipped.
  fuzz::accepts([&] { (void)tokenizer->encode(saved); });
  model::UnknownSymbols unknown;
  fuzz::accepts([&] {
    const std::string decoded = tokenizer->decode(list(tokenizer->encode(saved, &unknown)));
    fuzz::demand(unknown.count > 0 || decoded == saved);
  });
  return 0;
}
