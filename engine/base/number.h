// Numbers and text, the same in every locale: the one place where digits become a value. (Floating
// point from_chars is younger than C++17 in some standard libraries; this is where that matters.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace engine {

enum class Parsed { ok, malformed, out_of_range };

// The whole of `text` as a decimal integer: `-`? digits. No spaces, no `+`.
Parsed parse_number(std::string_view text, std::int64_t& value);
Parsed parse_number(std::string_view text, std::uint64_t& value);

// The whole of `text` as a finite number: `-`? digits with at most one point among or around them,
// then perhaps an exponent. Out of range are those that round to infinity or, not being zero, to
// zero.
Parsed parse_number(std::string_view text, double& value);

// The shortest digits that parse_number reads back as the same value.
std::string number_text(double value);
std::string number_text(float value);

}  // namespace engine
