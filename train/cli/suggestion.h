// Guesses for a wrong word, as the end of a message: "; did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "train/cli/settings.h"

namespace train {

// "; did you mean PREFIXname?" for the name nearest to the given one, if it differs by a letter or
// two or begins with the given one. --force destroys a run, and is never proposed.
std::string suggestion(std::string_view given, std::span<const std::string_view> names,
                       std::string_view prefix);

// For a word that is not a flag of the command; `name`: the word without hyphens. -n4 is -n 4,
// --no-bias is --bias false, -a.txt may be a file. Without a guess: where all flags are listed.
std::string flag_meant_by(std::string_view word, const std::string& name, Command command);

// For a word that is not a command: another program's command, a file, a typo. Empty without a
// guess.
std::string command_meant_by(std::string_view word);

}  // namespace train
