// Parses a command line into settings, and checks them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Gets the contents of a --config file. unread: returns nothing, for callers that do not need the
// contents.
using ReadConfig = std::string (*)(const std::string& path);
inline std::string unread(const std::string&) { return ""; }

// `arguments` without the program's name. Flags are read in order; a later one overrides an earlier
// one; --config stands for the assignments in its file. Throws UsageError, or Error if the --config
// file is wrong.
Invocation read_arguments(std::span<const std::string_view> arguments, ReadConfig read);

// The text of a flag with \n, \t, \r, \\, \" and \xHH replaced by their bytes, since line feeds are
// hard to type in a shell. Adds a note for a text like \nabla, which then begins with a line feed.
std::string unescaped(std::string_view called, std::string_view text, Notes& notes);

// The words of a command, the program and `train` first, without the flags of these names, and with
// `added` after the other flags. Throws UsageError if train refuses the words.
std::vector<std::string> edited(std::span<const std::string> words,
                                std::span<const std::string_view> without,
                                std::span<const std::string> added);

// The beginning of messages: `gradus train`, or `gradus` if there is no such command.
std::string speaker(std::span<const std::string_view> arguments);

// help.cpp: --help, and from the same table a man page and a completion for bash. The flags are
// wrapped at `columns`, at most 80.
std::string help_text(std::optional<Command> command, int columns);
std::string man_page();
std::string bash_completion();

}  // namespace train
