// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF, so that text has
// exactly one spelling and what is decoded and encoded again is the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/real.h"

namespace engine {

struct CodePoint {
  char32_t value = 0;
  int bytes = 0;  // how many it takes, 1 to 4; 0 where the text is not UTF-8, or empty
  std::size_t size() const { return static_cast<std::size_t>(bytes); }
};

// The first code point of `text`.
CodePoint first_code_point(std::string_view text);

// The code point at offset `at` < text.size(); an error if there is none: `byte 12: 0xff is not
// UTF-8`.
CodePoint checked_code_point(std::string_view text, std::size_t at);

// The offset of the first byte that is not UTF-8; text.size() if all of it is.
std::size_t valid_utf8_prefix(std::string_view text);

// The length of `text` without the beginning of a code point at its end, which bytes still to come
// may complete: what of a stream can be shown.
std::size_t complete_utf8_prefix(std::string_view text);

// Characters in these bytes, if they are part of a UTF-8 text: each counts where it begins.
Index count_characters(std::string_view bytes);

// `value` must be a code point: at most U+10FFFF and no surrogate.
void append_utf8(std::string& text, char32_t value);

// How messages name it: 'a' for printable ASCII, U+1F600 for everything else.
std::string code_point_name(char32_t value);

}  // namespace engine
