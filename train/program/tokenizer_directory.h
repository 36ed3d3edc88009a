// A directory with a tokenizer in the two files of GPT-2 (model/tokenizer/bpe/gpt2_files.h), as other programs
// read and write it too.
#pragma once

#include <string>

#include "model/tokenizer/tokenizer.h"

namespace train {

// Errors name the file that is missing or wrong.
model::TokenizerHandle read_tokenizer_directory(const std::string& directory);

// Makes the directory if need be, and does not replace a file in it. An error as well if the
// tokenizer is of a kind that GPT-2's files cannot hold.
void write_tokenizer_directory(const std::string& directory, const model::Tokenizer& tokenizer);

}  // namespace train
