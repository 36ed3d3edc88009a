// The words of a command: between spaces, in single or double quotes, in $'...' with escapes, or in
// none, as a shell splits them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/text.h"
#include "train/system/text.h"

namespace program {

struct Word {
  std::string text;
  bool is_plain = true;  // nothing of it stood in quotes
};

// What stands from the quote at `at` to the next one; `at` is then at that one.
inline std::string in_quotes(std::string_view line, std::size_t& at) {
  const bool escapes = at > 0 && line[at] == '\'' && line[at - 1] == '$';
  std::size_t end = at + 1;
  while (end < line.size() && line[end] != line[at]) end += escapes && line[end] == '\\' ? 2 : 1;
  const std::string_view text = line.substr(at + 1, end - at - 1);
  at = end;
  return escapes ? train::unescaped(text) : std::string(text);
}

inline std::vector<Word> words_in(std::string_view line) {
  std::vector<Word> words;
  bool within = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool opens = line[at] == '\'' || line[at] == '"';
    if (line[at] == ' ') {
      within = false;
      continue;
    }
    if (!within) words.emplace_back();
    within = true;
    if (line.substr(at, 2) == "$'") continue;
    words.back().text += opens ? in_quotes(line, at) : std::string(1, line[at]);
    if (opens) words.back().is_plain = false;
  }
  return words;
}

}  // namespace program
