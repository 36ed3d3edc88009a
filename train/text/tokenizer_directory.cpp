#include "train/text/tokenizer_directory.h"

#include "engine/base/check.h"
#include "model/base/files.h"
#include "model/base/text.h"
#include "model/base/utf8.h"
#include "model/exchange/byte_level.h"

namespace train {

model::TokenizerHandle read_tokenizer_directory(const std::string& directory) {
  constexpr std::int64_t max_bytes = 1 << 28;  // GPT-2's are about 1 MB
  const std::string vocabulary = model::read_file(directory + "/vocab.json", max_bytes);
  const std::string merges = model::read_file(directory + "/merges.txt", max_bytes);
  try {
    return model::read_gpt2_tokenizer(vocabulary, merges);
  } catch (const engine::Error& error) {
    engine::fail(model::printable(directory), "/", error.what());
  }
}

}  // namespace train
