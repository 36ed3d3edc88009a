// Text for messages and files, independent of the locale: joining, quoting and escaping strings,
// formatting numbers.
#pragma once

#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

namespace engine {

// The stream behind joined. What is the same for all kinds of parts is compiled once.
class TextStream : public std::ostringstream {
 public:
  TextStream();
  ~TextStream() override;
  std::string take();
};

// The parts in the format of operator<<, concatenated.
template <class... Parts>
std::string joined(const Parts&... parts) {
  TextStream out;
  (out << ... << parts);
  return out.take();
}

// `text` between double quotes, on one line: control characters, quotes, backslashes and bytes that
// are not UTF-8 are escaped; cut after 100 characters. (The name quoted would find std::quoted by
// argument-dependent lookup.)
std::string in_quotes(std::string_view text);

// in_quotes without the quotes, and with quotes and backslashes unescaped: for names of files and
// whole messages.
std::string printable(std::string_view text, std::size_t max_characters = 100);

// printable of the whole text, line feeds and tabs unescaped: for terminals.
std::string printable_lines(std::string_view text);

// The inverse of in_quotes without the quotes: \n, \t, \r, \\, \" and \xHH stand for their bytes.
// Throws Error if another character, or none, follows a backslash.
std::string unescaped(std::string_view text);

inline constexpr std::string_view hex_digits = "0123456789abcdef";
// The lowest `digits` hexadecimal digits of value, in lower case.
std::string hex(std::uint64_t value, int digits);

std::string fixed_text(double value, int digits);  // 2.3450: `digits` digits after the point
std::string count_text(std::int64_t count);        // 803,072
std::string counted(std::int64_t count, std::string_view unit);  // 1 layer, 4 layers
std::string short_text(double value);                            // 0.0003, 2e-5: six digits at most
std::string duration_text(double seconds);                       // 45 s, 3 min 20 s, 2 h 5 min

}  // namespace engine
