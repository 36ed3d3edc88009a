// Text for messages and files, independent of the locale: joining, quoting and escaping strings,
// formatting numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
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

// A part as joined writes it: NaN without its sign, which says nothing (0 / 0 is -nan on x86).
template <class Part>
const Part& as_written(const Part& part) {
  return part;
}
template <std::floating_point Part>
Part as_written(const Part& part) {
  return part != part ? std::numeric_limits<Part>::quiet_NaN() : part;
}

// The parts in the format of operator<<, concatenated.
template <class... Parts>
std::string joined(const Parts&... parts) {
  TextStream out;
  (out << ... << as_written(parts));
  return out.take();
}

// `text` between double quotes, on one line: quotes, backslashes and bytes that are not UTF-8 are
// escaped, and so are control characters and others that are not seen or change the direction of
// writing; cut after 100 characters. Made when it is written, or kept as a string: a check that
// passes does not pay for it. (The name quoted would find std::quoted by argument-dependent lookup.)
class InQuotes {
 public:
  explicit InQuotes(std::string_view text) : text_(text) {}
  operator std::string() const;

 private:
  friend std::ostream& operator<<(std::ostream& out, const InQuotes& quoted);
  std::string_view text_;
};
inline InQuotes in_quotes(std::string_view text) { return InQuotes(text); }

// in_quotes without the quotes, and with quotes and backslashes unescaped: for names of files and
// whole messages.
std::string printable(std::string_view text, std::size_t max_characters = 100);

// printable of the whole text for terminals: line feeds and tabs stay, and the two joiners that
// Persian, Hindi and emoji are written with.
std::string printable_lines(std::string_view text);

// A word of a command to be copied, as a shell reads it: in quotes if it needs any. And a path: ./-x
// for -x, too.
std::string shell_word(std::string_view word);
std::string shell_quoted(std::string_view path);
// A command to be copied from a message: no-break spaces, at which wrapped breaks no line, stand for
// its spaces.
std::string unbroken(std::string_view command);
// The text in lines of at most so many characters, broken at spaces; a longer word has a line of its
// own. No-break spaces become spaces.
std::string wrapped(std::string_view text, std::size_t columns);

// The inverse of in_quotes without the quotes: \n, \t, \r, \\, \" and \xHH stand for their bytes.
// Throws Error if another character, or none, follows a backslash.
std::string unescaped(std::string_view text);

// 1 layer, 4,000 layers. Formatted where it is joined, so that it costs nothing in a check that holds.
struct Counted {
  std::int64_t count;
  std::string_view unit, plural;  // without a plural, the unit with an s
  operator std::string() const;
};
std::ostream& operator<<(std::ostream& out, const Counted& counted);
constexpr Counted counted(std::int64_t count, std::string_view unit, std::string_view plural = {}) {
  return {count, unit, plural};
}

inline constexpr std::string_view hex_digits = "0123456789abcdef";
// The lowest `digits` hexadecimal digits of value, in lower case.
std::string hex(std::uint64_t value, int digits);

std::string fixed_text(double value, int digits);  // 2.3450: `digits` digits after the point
std::string count_text(std::int64_t count);        // 803,072
std::string short_text(double value);              // 0.0003, 2e-5: six digits at most
std::string duration_text(double seconds);         // 45 s, 3 min 20 s, 2 h 5 min

}  // namespace engine
