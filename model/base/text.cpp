#include "model/base/text.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "model/base/system.h"
#include "model/base/utf8.h"

namespace model {

using engine::as_written;
using engine::fail;
using engine::joined;
using engine::unsigned_size;

namespace {

// Characters that could disguise a name or break a line: control characters; invisible ones (U+200B
// to D, FEFF); those that turn the direction of writing (U+061C, 200E and F, 202A to E, 2066 to 9);
// separators of lines and paragraphs (U+2028, 2029).
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

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

// Escapes hidden characters and bytes that are not UTF-8, except the characters in `kept`; puts a
// backslash before the characters in `also`.
std::string escaped(std::string_view text, std::string_view kept, std::string_view also,
                    std::size_t max_characters) {
  std::string out;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == max_characters) return out + "...";
    const CodePoint point = first_code_point(text);
    const std::size_t size = std::max<std::size_t>(point.size(), 1);
    if (point.bytes > 0 && kept.find(text.substr(0, size)) != std::string_view::npos) {
      out += text.substr(0, size);
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.bytes == 0 || is_hidden(point.value)) {
      for (const char byte : text.substr(0, size))
        out += "\\x" + hex(static_cast<unsigned char>(byte), 2);
    } else {
      if (point.bytes == 1 && also.find(text[0]) != std::string_view::npos) out += '\\';
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

InQuotes::operator std::string() const { return '"' + escaped(text_, {}, "\"\\", 100) + '"'; }
std::ostream& operator<<(std::ostream& out, const InQuotes& quoted) {
  return out << std::string(quoted);
}

std::string printable(std::string_view text, std::size_t max_characters) {
  return escaped(text, {}, {}, max_characters);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, "\n\t\u200C\u200D", {}, std::string_view::npos);
}

std::string shell_word(std::string_view word) {
  constexpr auto all = std::string_view::npos;
  if (printable(word, all) != word || word.find(no_break_space) != all) {
    std::string bytes = "$'";  // quotes of bash, zsh and ksh, in which \xHH is a byte
    for (const char c : word)
      if (c < ' ' || c > '~')
        bytes += "\\x" + hex(static_cast<unsigned char>(c), 2);
      else
        bytes += joined(c == '\'' || c == '\\' ? "\\" : "", c);
    return bytes + '\'';
  }
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= ':') || c == '_' ||
           c == ',' || c == '+' || c == '@' || static_cast<unsigned char>(c) >= 0x80 ||
           system::separators.find(c) != all;
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
    const std::size_t width = unsigned_size(count_characters(word));
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
      return at < text.size() ? hex_digits.find(text[at]) : std::string_view::npos;
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

std::string hex(std::uint64_t value, int digits) {
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += hex_digits[value >> shift & 15];
  return out;
}

// joined writes as printf does in the C locale. std::to_chars with a precision would too, but brings
// tables that make the page of train/page 7 % larger.
std::string fixed_text(double value, int digits) {
  return joined(std::fixed, std::setprecision(digits), value);
}

std::string short_text(double value) {
  std::string text = joined(value);
  // The exponent without its leading zero: 2e-05 is 2e-5.
  if (const std::size_t e = text.find('e'); e != std::string::npos && text[e + 2] == '0')
    text.erase(e + 2, 1);
  return text;
}

std::string duration_text(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(std::fmax(seconds, 0)));
  if (total < 100) return joined(total, " s");
  if (total < 3600) return joined(total / 60, " min ", total % 60, " s");
  return joined(total / 3600, " h ", total / 60 % 60, " min");
}

}  // namespace model
