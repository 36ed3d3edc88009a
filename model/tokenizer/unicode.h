// Classes of characters by Unicode's general categories, as needed for cutting text into words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace model {

// As in regular expressions: letter \p{L}, number \p{N}, space \s (the property White_Space).
// Combining marks, punctuation, symbols and controls are `other`.
enum class CharacterClass : std::uint8_t { other, letter, number, space };

CharacterClass character_class(char32_t code_point);

struct Character {
  CharacterClass kind;
  std::size_t size;  // in bytes
};
// The character at offset `at` < text.size(); a byte that is not UTF-8 is a character of class
// `other`.
Character character_at(std::string_view text, std::size_t at);

}  // namespace model
