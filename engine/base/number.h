// Parsing and printing numbers, independent of the locale. Standard libraries without from_chars
// for floating point fall back to streams.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace engine {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

enum class Parsed { ok, malformed, out_of_range };

// The whole of `text` as a decimal integer: `-`? digits. No spaces, no `+`.
Parsed parse_number(std::string_view text, std::int64_t& value);
Parsed parse_number(std::string_view text, std::uint64_t& value);

// The whole of `text` as a finite number: `-`? digits with at most one decimal point, optionally an
// exponent. Out of range: numbers that round to infinity, or to zero without being zero.
Parsed parse_number(std::string_view text, double& value);

// The shortest text that parse_number reads back as the same value.
std::string number_text(double value);
// The number rounded to `digits` significant digits, without zeros at the end.
std::string number_text(double value, int digits);

}  // namespace engine
