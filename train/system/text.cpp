#include "train/system/text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/base/index.h"
#include "engine/base/text.h"
#include "model/base/system.h"
#include "model/base/text.h"
#include "model/base/utf8.h"
#include "train/system/console.h"

namespace train {

using engine::joined;
using engine::unsigned_size;

namespace {

constexpr std::string_view no_break_space = "\u00A0";

// `text` with each `from` replaced.
std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at; (at = text.find(from)) != std::string_view::npos;) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

}  // namespace

std::string shell_word(std::string_view word) {
  constexpr auto all = std::string_view::npos;
  if (model::printable(word, all) != word || word.find(no_break_space) != all) {
    std::string bytes = "$'";  // quotes of bash, zsh and ksh, in which \xHH is a byte
    for (const char c : word)
      if (c < ' ' || c > '~')
        bytes += "\\x" + model::hex(static_cast<unsigned char>(c), 2);
      else
        bytes += joined(c == '\'' || c == '\\' ? "\\" : "", c);
    return bytes + '\'';
  }
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= ':') || c == '_' ||
           c == ',' || c == '+' || c == '@' || static_cast<unsigned char>(c) >= 0x80 ||
           model::system::separators.find(c) != all;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  return system::shell_quotes(word);
}

std::string shell_quoted(std::string_view path) {
  return shell_word(joined(path.starts_with('-') ? "./" : "", path));
}

std::string unbroken(std::string_view command) { return replaced(command, " ", no_break_space); }

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t column = 0;
  for (bool first = true;; first = false) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    const std::size_t width = unsigned_size(model::count_characters(word));
    const bool breaks = column + 1 + width > columns;
    if (!first) out += breaks ? '\n' : ' ';
    column = first || breaks ? width : column + 1 + width;
    out += word;
    if (end == std::string_view::npos) return replaced(out, no_break_space, " ");
    text.remove_prefix(end + 1);
  }
}

std::string unescaped(std::string_view text) {
  constexpr std::string_view letters = "ntr\\\"", bytes = "\n\t\r\\\"";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : ' ';
    const std::size_t known = letters.find(letter);
    const auto digit = [&](std::size_t at) {
      return at < text.size() ? model::hex_digits.find(text[at]) : std::string_view::npos;
    };
    if (known != std::string_view::npos) {
      out += bytes[known];
      i += 1;
    } else if (letter == 'x' && digit(i + 2) < 16 && digit(i + 3) < 16) {
      out += static_cast<char>(16 * digit(i + 2) + digit(i + 3));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string duration_text(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(std::fmax(seconds, 0)));
  if (total < 100) return joined(total, " s");
  if (total < 3600) return joined(total / 60, " min ", total % 60, " s");
  return joined(total / 3600, " h ", total / 60 % 60, " min");
}

}  // namespace train
