// Words of other programs that gradus does not have, as flags, config keys or commands: nanoGPT's
// keys, and what people type most; edit distance (suggestion.h) does the rest.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "train/cli/settings.h"

namespace train {

struct ForeignWord {
  // Names with spaces between them, _ for every -, without leading dashes except for single
  // letters; wandb_* is every word with this beginning.
  std::string_view names;
  unsigned commands;     // a sum of Command values; 0: it is itself a command
  std::string_view say;  // the answer; see what_to_say
  // The flag changes nothing here: it is skipped, with its value. Others are errors.
  bool is_skipped = false;
};

std::span<const ForeignWord> foreign_words();

// Null if the word is not in the table. Letters are given with their dash: -m.
const ForeignWord* find_foreign_flag(std::string_view name, Command command);
const ForeignWord* find_foreign_command(std::string_view name);

// The answer to a flag given to the command with this name, without the flag itself.
std::string what_to_say(const ForeignWord& word, std::string_view command);

}  // namespace train
