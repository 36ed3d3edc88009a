#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/base/check.h"
#include "engine/base/utf8.h"

namespace engine {

TextStream::TextStream() {
  exceptions(std::ios::badbit);  // out of memory is an error, not a part that is missing
  imbue(std::locale::classic());
}
TextStream::~TextStream() = default;
std::string TextStream::take() { return std::move(*this).str(); }

namespace {

// Escapes control characters and bytes that are not UTF-8, except those in `kept`; puts a backslash
// before the characters in `also`.
std::string escaped(std::string_view text, std::string_view kept, std::string_view also,
                    std::size_t max_characters) {
  std::string out;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == max_characters) return out + "...";
    const CodePoint point = first_code_point(text);
    const std::size_t size = std::max<std::size_t>(point.size(), 1);
    const bool is_control = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
    if (point.bytes == 1 && kept.find(text[0]) != std::string_view::npos) {
      out += text[0];
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.bytes == 0 || is_control) {
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

std::string in_quotes(std::string_view text) { return '"' + escaped(text, {}, "\"\\", 100) + '"'; }

std::string printable(std::string_view text, std::size_t max_characters) {
  return escaped(text, {}, {}, max_characters);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, "\n\t", {}, std::string_view::npos);
}

std::string unescaped(std::string_view text) {
  constexpr std::string_view letters = "ntr\\\"", bytes = "\n\t\r\\\"";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    const char letter = ++i < text.size() ? text[i] : ' ';
    const std::size_t known = letters.find(letter);
    const auto digit = [&](std::size_t at) {
      return at < text.size() ? hex_digits.find(text[at]) : std::string_view::npos;
    };
    if (known != std::string_view::npos) {
      out += bytes[known];
    } else if (letter == 'x' && digit(i + 1) < 16 && digit(i + 2) < 16) {
      out += static_cast<char>(16 * digit(i + 1) + digit(i + 2));
      i += 2;
    } else {
      fail("the backslash of ", in_quotes(text),
           " must be followed by n, t, r, another backslash, a quote, or x and two digits of 0-9 "
           "a-f");
    }
  }
  return out;
}

std::string hex(std::uint64_t value, int digits) {
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += hex_digits[value >> shift & 15];
  return out;
}

std::string fixed_text(double value, int digits) {
  char text[400];  // the largest double has 309 digits before its point
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > sign + 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string counted(std::int64_t count, std::string_view unit) {
  return joined(count_text(count), ' ', unit, count == 1 ? "" : "s");
}

std::string short_text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.6g", value);
  std::string text = digits;
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

}  // namespace engine
