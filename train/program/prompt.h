// A prompt: from the command line or a file, to tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/tokenizer/tokenizer.h"
#include "train/system/notes.h"
#include "train/system/words.h"

namespace train {

struct Prompt {
  std::string name, text;  // name: for messages
};

// Far more than any context, so that an endless device such as /dev/zero is refused at once.
inline constexpr std::size_t max_prompt_bytes = 1 << 24;

// --prompt: the text itself with its escapes (train/cli/arguments.h), FILE:path as in nanoGPT, or
// `-` for standard input; without a byte-order mark at its beginning, and CRLF as LF.
Prompt read_prompt(const std::string& flag, Notes& notes);
std::optional<std::string> file_of_prompt(const std::string& flag);

// A line typed on a terminal, without the codes of keys that are not characters: an arrow key sends
// ESC [ A.
std::string without_keys(std::string_view line);

// Thrown for a prompt with a symbol that is not in the vocabulary.
class UnknownSymbol : public Error {
 public:
  using Error::Error;
};

// The prompt's tokens, at least one. With skip_unknown, symbols that are not in the vocabulary are
// left out, and the user is told how many.
std::vector<std::int32_t> encode(const model::Tokenizer& tokenizer, const Prompt& prompt,
                                 bool skip_unknown);

}  // namespace train
