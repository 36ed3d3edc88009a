// What a wrong word was meant to be: each as the end of a message, "; did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "train/cli/settings.h"

namespace train {

// "; did you mean PREFIXname?" for the name most like the given one, if one is near: a letter or
// two apart, or with the given one as its beginning. --force destroys a run, and is never proposed.
std::string suggestion(std::string_view given, std::span<const std::string_view> names,
                       std::string_view prefix);

// A word that is no flag of the command, and its name without hyphens: -n4 is -n 4, --no-bias is --bias
// false, -a.txt may be a file. Without a guess: where all flags are listed.
std::string flag_meant_by(std::string_view word, const std::string& name, Command command);

// A word that is no command: one of another program, a file, a slip. Empty without a guess.
std::string command_meant_by(std::string_view word);

}  // namespace train
