// The bytes of a token as visible characters, as GPT-2's files and ours write them.
#pragma once

#include <string>
#include <string_view>

namespace model {

// The bytes that are visible in Latin-1 stand for themselves, the other 68 are U+0100, U+0101, ...
// in order (a space is U+0120, "Ġ").
std::string printable_bytes(std::string_view bytes);
// The inverse of printable_bytes; an error names the first character that stands for no byte.
std::string bytes_of_printable(std::string_view printable);

}  // namespace model
