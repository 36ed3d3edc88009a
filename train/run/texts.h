// The texts given to a command: files, and directories, which stand for all files in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/run/facts.h"

namespace train {

struct Texts {
  std::string name;  // what messages call the texts together
  std::string joined;
  std::vector<std::string> paths;  // as the user would write them
  std::vector<std::size_t> ends;   // of each in `joined`
  std::vector<TextIdentity> identities;
};

// Reads the files in the order given, those of a directory (files_in) in the order of their names.
// An empty file is an error. In a directory empty files and the files of runs are skipped; it is an
// error if no other file is left.
Texts read_texts(const std::vector<std::string>& paths);

// Views of the files' texts, one for each file.
std::vector<std::string_view> files_of(const Texts& texts);

// Appends the tokens of the texts to `ids`: of all texts as one or, if the tokenizer has a
// separator, of each text with the separator at its end. Errors name the text.
void encode(const Texts& texts, const model::Tokenizer& tokenizer, model::TokenIds& ids);

// Throws engine::Error, naming the file and the byte, if the texts are not UTF-8.
void check_utf8(const Texts& texts);

}  // namespace train
