// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF, so that text has
// exactly one spelling and what is decoded and encoded again is the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace model {

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

// `value` must be a code point: at most U+10FFFF and no surrogate.
void append_utf8(std::string& text, char32_t value);

// How messages name it: 'a' for printable ASCII, U+1F600 for everything else.
std::string code_point_name(char32_t value);

// `text` between double quotes, fit for one line of a message whatever it holds: controls, quotes,
// backslashes and bytes that are not UTF-8 escaped, and no more than the first 100 characters.
// Not named quoted: for a std::string that would be std::quoted, wherever that is declared.
std::string in_quotes(std::string_view text);

// The same without the quotes, and quotes and backslashes as they are: for names of files, and for
// whole messages.
std::string printable(std::string_view text, int most_characters = 100);

// All of the text, with its line feeds and tabs as they are: for terminals.
std::string printable_lines(std::string_view text);

}  // namespace model
