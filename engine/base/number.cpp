#include "engine/base/number.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <system_error>

namespace engine {

namespace {

// Advances `at` past digits; returns their number.
std::size_t skip_digits(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return at - begin;
}

// Checks the syntax, since from_chars also accepts "inf" and "nan".
bool is_decimal(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  std::size_t digits = skip_digits(text, at);
  if (at < text.size() && text[at] == '.') digits += skip_digits(text, ++at);
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    if (skip_digits(text, at) == 0) return false;
  }
  return at == text.size();
}

bool is_zero(std::string_view decimal) {
  return decimal.substr(0, decimal.find_first_of("eE")).find_first_of("123456789") ==
         std::string_view::npos;
}

template <class Integer>
Parsed parse_integer(std::string_view text, Integer& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) return Parsed::malformed;
  return result.ec == std::errc{} ? Parsed::ok : Parsed::out_of_range;
}

// libc++ has from_chars for floating point since version 20. (__cpp_lib_to_chars does not tell:
// some versions that have to_chars and from_chars do not define it.)
template <class Float>
concept HasFromChars = requires(const char* at, Float& value) {
  std::from_chars(at, at, value);
};

// Parses a decimal number. If it is too large or too small, value stays, or is infinite or 0.
template <class Float>
void read_decimal(std::string_view text, Float& value) {
  if constexpr (HasFromChars<Float>) {
    std::from_chars(text.data(), text.data() + text.size(), value);
  } else {
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    in >> value;  // also fails for subnormal numbers, but reads them
  }
}

}  // namespace

Parsed parse_number(std::string_view text, std::int64_t& value) {
  return parse_integer(text, value);
}

Parsed parse_number(std::string_view text, std::uint64_t& value) {
  // A negative number is out of range, not malformed; "-0" is 0.
  std::int64_t negative = -1;  // unchanged if the digits overflow
  if (text.starts_with('-') && parse_integer(text, negative) != Parsed::malformed) {
    value = 0;
    return negative == 0 ? Parsed::ok : Parsed::out_of_range;
  }
  return parse_integer(text, value);
}

Parsed parse_number(std::string_view text, double& value) {
  if (!is_decimal(text)) return Parsed::malformed;
  value = std::numeric_limits<double>::infinity();
  read_decimal(text, value);
  if (!std::isfinite(value) || (value == 0 && !is_zero(text))) return Parsed::out_of_range;
  return Parsed::ok;
}

std::string number_text(double value) {
  char digits[64];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::string number_text(double value, int digits) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

}  // namespace engine
