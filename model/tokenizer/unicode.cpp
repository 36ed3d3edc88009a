#include "model/tokenizer/unicode.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/base/utf8.h"
#include "model/tokenizer/unicode_tables.h"

namespace model {

using engine::CodePoint;
using engine::first_code_point;

namespace {

using enum CharacterClass;

constexpr std::array<CharacterClass, 128> make_ascii_classes() {
  std::array<CharacterClass, 128> kinds{};
  for (int c = 'a'; c <= 'z'; ++c)
    kinds[std::size_t(c)] = kinds[std::size_t(c - 'a' + 'A')] = letter;
  for (int c = '0'; c <= '9'; ++c) kinds[std::size_t(c)] = number;
  for (int c = '\t'; c <= '\r'; ++c) kinds[std::size_t(c)] = space;
  kinds[' '] = space;
  return kinds;
}
constexpr std::array<CharacterClass, 128> ascii_classes = make_ascii_classes();

}  // namespace

CharacterClass character_class(char32_t code_point) {
  // The run that contains it is the last that begins at or before it.
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
