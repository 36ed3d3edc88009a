// Text for messages and files, the same in every locale: parts joined, strings quoted and made fit
// for one line, numbers with so many digits.
#pragma once

#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

namespace engine {

// The parts, written one after another.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return std::move(out).str();
}

// `text` between double quotes, fit for one line of a message whatever it holds: control characters,
// quotes, backslashes and bytes that are not UTF-8 are escaped, and after 100 characters it is cut.
// Not named quoted: for a std::string that would be std::quoted, wherever that is declared.
std::string in_quotes(std::string_view text);

// The same without the quotes, and with quotes and backslashes as they are: for names of files, and
// for whole messages.
std::string printable(std::string_view text, std::size_t max_characters = 100);

// All of the text, with its line feeds and tabs as they are: for terminals.
std::string printable_lines(std::string_view text);

inline constexpr std::string_view hex_digits = "0123456789abcdef";
// The lowest `digits` hexadecimal digits of value, in small letters.
std::string hex(std::uint64_t value, int digits);

std::string fixed_text(double value, int digits);  // 2.3450: so many digits behind the point
std::string count_text(std::int64_t count);        // 803,072
std::string duration_text(double seconds);         // 45 s, 3 min 20 s, 2 h 5 min

}  // namespace engine
