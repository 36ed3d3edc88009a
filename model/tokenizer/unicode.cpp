#include "model/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "model/base/utf8.h"
#include "model/tokenizer/unicode_tables.h"

namespace model {

namespace {

using enum CharacterClass;

constexpr std::array<CharacterClass, 128> make_ascii_classes() {
  std::array<CharacterClass, 128> kinds{};
  for (std::size_t c = 'a'; c <= 'z'; ++c) kinds[c] = letter;
  for (std::size_t c = 'A'; c <= 'Z'; ++c) kinds[c] = letter;
  for (std::size_t c = '0'; c <= '9'; ++c) kinds[c] = number;
  for (std::size_t c = '\t'; c <= '\r'; ++c) kinds[c] = space;
  kinds[' '] = space;
  return kinds;
}
constexpr std::array<CharacterClass, 128> ascii_classes = make_ascii_classes();

}  // namespace

CharacterClass character_class(char32_t code_point) {
  // Its run is the last one that begins at or before code_point.
  const std::uint32_t* after =
      std::upper_bound(std::begin(class_changes), std::end(class_changes), code_point << 2 | 3);
  return static_cast<CharacterClass>(after[-1] & 3);
}

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {ascii_classes[byte], 1};
  const CodePoint point = first_code_point(text.substr(at));
  if (point.bytes == 0) return {other, 1};
  return {character_class(point.value), point.size()};
}

}  // namespace model
