// A model file with its checksum put right after every mutation: tensors, architecture and
// tokenizer have to fit together. What is accepted is the same after being written and read again.
#include "model/model_file.h"

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/safetensors_file.h"

namespace {

std::string written(model::LoadedModel& loaded) {
  model::SafetensorsWriter writer;
  model::add_model(writer, loaded.gpt, *loaded.tokenizer);
  return joined_pieces(writer.pieces());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = fuzz::put_right(fuzz::bytes_of(data, size));
  fuzz::accepts([&] {
    const model::SafetensorsFile file(bytes);
    model::LoadedModel loaded = model::load_model(file);
    fuzz::demand(loaded.tokenizer->vocabulary_size() <= loaded.gpt.config.vocab_size);
    const std::string once = written(loaded);
    model::LoadedModel again = model::load_model(model::SafetensorsFile(once));
    fuzz::demand(written(again) == once);
  });
  return 0;
}
