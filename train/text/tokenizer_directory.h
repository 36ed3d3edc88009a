// The tokenizer in a directory with GPT-2's two files, vocab.json and merges.txt
// (model/exchange/byte_level.h); `gradus export MODEL hf DIR` writes them too.
#pragma once

#include <string>

#include "model/tokenizer/tokenizer.h"

namespace train {

// Errors name the file that is missing or wrong.
model::TokenizerHandle read_tokenizer_directory(const std::string& directory);

}  // namespace train
