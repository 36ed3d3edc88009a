#include "model/base/text.h"

#include <algorithm>
#include <iomanip>

#include "model/base/utf8.h"

namespace model {

using engine::joined;

namespace {

// Characters that could disguise a name or break a line: control characters; invisible ones (U+200B
// to D, FEFF); those that turn the direction of writing (U+061C, 200E and F, 202A to E, 2066 to 9);
// separators of lines and paragraphs (U+2028, 2029).
bool is_hidden(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
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

std::string hex(std::uint64_t value, int digits) {
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += hex_digits[value >> shift & 15];
  return out;
}

// joined writes as printf does in the C locale. std::to_chars with a precision would too, but
// brings tables that make the page of train/page 7 % larger.
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

}  // namespace model
