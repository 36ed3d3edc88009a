// A directory with the two files of a GPT-2 tokenizer, vocab.json and merges.txt
// (model/exchange/byte_level.h).
#pragma once

#include <string>

#include "model/tokenizer/tokenizer.h"

namespace train {

// Errors name the file that is missing or wrong.
model::TokenizerHandle read_tokenizer_directory(const std::string& directory);

// Creates the directory if it is missing. An error if one of the files exists, or if the tokenizer
// is not a BPE: only that kind fits into GPT-2's files.
void write_tokenizer_directory(const std::string& directory, const model::Tokenizer& tokenizer);

}  // namespace train
