// What kind of character a code point is, by Unicode's general categories: as much of Unicode as
// cutting text into words needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace model {

// letter: categories L*; number: N*; space: the property White_Space. In regular expressions
// \p{L}, \p{N} and \s; combining marks, punctuation, symbols and controls are `other`.
enum class CharacterClass : std::uint8_t { other, letter, number, space };

CharacterClass character_class(char32_t code_point);

struct Character {
  CharacterClass kind;
  std::size_t size;  // in bytes
};
// The character at offset `at` < text.size(); a byte that is not UTF-8 is one of class `other`.
Character character_at(std::string_view text, std::size_t at);

}  // namespace model
