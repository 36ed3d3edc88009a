// Parses a command line into settings, and checks them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "train/cli/settings.h"
#include "train/system/notes.h"

namespace train {

struct Invocation {
  std::optional<Command> command;    // none: `gradus --help`
  bool help = false;                 // given; then nothing else counts
  std::string (*print)() = nullptr;  // for --version and the like: print this and nothing else
  Settings settings;
  Notes notes;  // what was skipped
};

// `arguments` without the program's name. Flags are read in order; a later one overrides an earlier
// one; --config stands for the assignments in its file. Throws UsageError, or Error if the --config
// file is wrong.
Invocation read_arguments(std::span<const std::string_view> arguments);

// The text of a flag with \n, \t, \r, \\, \" and \xHH replaced by their bytes, since line feeds are
// hard to type in a shell. Adds a note for a text like \nabla, which then begins with a line feed.
std::string unescaped(std::string_view called, std::string_view text, Notes& notes);

// The flag that a word names, --block-size=64 or -o; null if there is none.
const Flag* flag_in(std::string_view word, Command command);

// The beginning of messages: `gradus train`, or `gradus` if there is no such command.
std::string speaker(std::span<const std::string_view> arguments);

// help.cpp: --help, and from the same table a man page and a completion for bash. The flags are
// wrapped at `columns`, at most 80.
std::string help_text(std::optional<Command> command, int columns);
std::string man_page();
std::string bash_completion();

}  // namespace train
