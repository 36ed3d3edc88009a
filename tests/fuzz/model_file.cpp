// A model file with its checksum put right after every mutation: tensors, architecture and
// tokenizer have to fit together.
#include "model/model_file.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/put_right.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::put_right(fuzz::bytes_of(data, size));
  fuzz::accepts([&] {
    const model::SafetensorsFile file(bytes);
    model::LoadedModel loaded = model::load_model(file);
    fuzz::demand(loaded.tokenizer->vocabulary_size() <= loaded.gpt.config.vocab_size);
  });
  return 0;
}
