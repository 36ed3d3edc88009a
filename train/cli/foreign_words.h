// Words of other programs that gradus does not have, as flags, keys of a config or commands: what
// users of nanoGPT, transformers and llama.cpp type, and what to say of each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "train/cli/settings.h"

namespace train {

struct ForeignWord {
  // Spaces between them, _ for every -, without dashes in front unless it is a letter; wandb_* is
  // every word that begins so.
  std::string_view names;
  unsigned commands;  // that the flag is given to, as a sum of Command values; 0: itself a command
  std::string_view say;  // as what_to_say says it
  // The flag changes nothing here: it is left out, with its value. Others are errors.
  bool is_skipped = false;
};

std::span<const ForeignWord> foreign_words();

// Null if nothing is known of the word. For letters with their dash: -m.
const ForeignWord* find_foreign_flag(std::string_view name, Command command);
const ForeignWord* find_foreign_command(std::string_view name);

// The sentence on a flag, without the flag, given to the command of that name.
std::string what_to_say(const ForeignWord& word, std::string_view command);

}  // namespace train
