// Text for people: commands that they may copy, lines of a terminal, times.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace train {

// A word of a command that the user may copy, in shell quotes if it needs them. shell_quoted is for
// paths: it also turns -x into ./-x.
std::string shell_word(std::string_view word);
std::string shell_quoted(std::string_view path);
// A command in a message that the user may copy: its spaces become no-break spaces, where `wrapped`
// does not break the line.
std::string unbroken(std::string_view command);
// The text in lines of at most `columns` characters, broken at spaces; a longer word gets a line of
// its own. No-break spaces become spaces.
std::string wrapped(std::string_view text, std::size_t columns);

// The inverse of in_quotes without the quotes: \n, \t, \r, \\, \" and \xHH stand for their bytes.
// Any other backslash is one.
std::string unescaped(std::string_view text);

std::string duration_text(double seconds);  // 45 s, 3 min 20 s, 2 h 5 min

}  // namespace train
