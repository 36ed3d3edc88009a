#include "train/text/tokenizer_directory.h"

#include <cstdint>

#include "model/base/utf8.h"
#include "model/exchange/byte_level.h"
#include "train/system/files.h"
#include "train/system/words.h"

namespace train {

model::TokenizerHandle read_tokenizer_directory(const std::string& directory) {
  constexpr std::int64_t max_bytes = 1 << 28;  // GPT-2's are about 1 MB
  const std::string vocabulary = read_file(inside(directory, "vocab.json"), max_bytes);
  const std::string merges = read_file(inside(directory, "merges.txt"), max_bytes);
  try {
    return model::read_gpt2_tokenizer(vocabulary, merges);
  } catch (const Error& error) {
    fail(printable(inside(directory, error.what())));
  }
}

}  // namespace train
