// The texts a command is given: files, and directories, each of which stands for the files in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/run/facts.h"

namespace train {

struct Texts {
  std::string name;  // of all of them, for messages
  std::string joined;
  std::vector<std::string> paths;  // as the user would write them
  std::vector<std::size_t> ends;   // of each in `joined`
  std::vector<TextIdentity> identities;
};

// Reads the files in the order given, those of a directory (files_in) by their names. An error if
// a file is empty, but those of a directory are passed over as long as there are others, and so
// are the files of runs.
Texts read_texts(const std::vector<std::string>& paths);

// One for each file, as long as `texts` is there.
std::vector<std::string_view> files_of(const Texts& texts);

// Appends their tokens: of all of them as one text or, if the tokenizer keeps documents apart, of
// each by itself with the separator at its end. Errors name the text.
void encode(const Texts& texts, const model::Tokenizer& tokenizer, model::TokenIds& ids);

// An error that names the file and the byte where they are not UTF-8.
void check_utf8(const Texts& texts);

}  // namespace train
