// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF, so that decoding and
// encoding again gives the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "model/base/words.h"

namespace model {

struct CodePoint {
  char32_t value = 0;
  int bytes = 0;  // length of its UTF-8 form, 1 to 4; 0 if the text is empty or not UTF-8
  std::size_t size() const { return unsigned_size(bytes); }
};

// The first code point of `text`.
CodePoint first_code_point(std::string_view text);

// The message about a byte that belongs to no code point: `byte 12: 0xff is not UTF-8`.
std::string not_utf8(std::string_view text, std::size_t at);
// The code point at offset `at` < text.size(). Throws Error, with not_utf8, if there is none.
CodePoint checked_code_point(std::string_view text, std::size_t at);

// The offset of the first byte that is not UTF-8; text.size() if all of it is.
std::size_t valid_utf8_prefix(std::string_view text);

// The number of bytes that belong to no code point.
Index count_broken_bytes(std::string_view text);

// Whether a text is UTF-8 with a few mistakes rather than in another encoding: at most one byte in
// 1,000 is broken.
constexpr bool is_nearly_utf8(Index broken_bytes, Index bytes) {
  return broken_bytes <= bytes / 1000;
}
inline bool is_nearly_utf8(std::string_view text) {
  return is_nearly_utf8(count_broken_bytes(text), std::ssize(text));
}

// The length of `text` without an incomplete code point at its end: the part of a stream that can
// be shown before more bytes arrive.
std::size_t complete_utf8_prefix(std::string_view text);

// The number of code points that begin in these bytes, a part of a UTF-8 text.
Index count_characters(std::string_view bytes);
// The bytes of the first `count` characters of a UTF-8 text, or of all if it has fewer.
std::size_t first_characters(std::string_view text, Index count);

// `value` must be a code point: at most U+10FFFF and not a surrogate.
void append_utf8(std::string& text, char32_t value);

// The name of a code point in messages: 'a' for printable ASCII, U+1F600 for others.
std::string code_point_name(char32_t value);

}  // namespace model
