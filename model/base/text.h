// Text for messages and files, independent of the locale: quoting and escaping strings, formatting
// numbers. (engine/base/text.h: joining. train/system/text.h: commands, lines.)
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "engine/base/text.h"

namespace model {

// `text` between double quotes, on one line, cut after 100 characters. Escapes quotes, backslashes,
// bytes that are not UTF-8, control characters, and characters that are invisible or change the
// direction of writing. Formatted only when it is written or made a string, so a check that passes
// costs nothing. (The name `quoted` would find std::quoted by argument-dependent lookup.)
class InQuotes {
 public:
  explicit InQuotes(std::string_view text) : text_(text) {}
  operator std::string() const;

 private:
  friend std::ostream& operator<<(std::ostream& out, const InQuotes& quoted);
  std::string_view text_;
};
inline InQuotes in_quotes(std::string_view text) { return InQuotes(text); }

// Like in_quotes, but without quotes around the text; quotes and backslashes in it stay. For names
// of files and whole messages.
std::string printable(std::string_view text, std::size_t max_characters = 100);

// The whole text, printable on a terminal. Line feeds and tabs stay, and so do the two joiners that
// Persian, Hindi and emoji need.
std::string printable_lines(std::string_view text);

inline constexpr std::string_view hex_digits = "0123456789abcdef";
// The lowest `digits` hexadecimal digits of value, in lower case.
std::string hex(std::uint64_t value, int digits);

std::string fixed_text(double value, int digits);  // 2.3450: `digits` digits after the point
std::string short_text(double value);              // 0.0003, 2e-5: six digits at most

}  // namespace model
