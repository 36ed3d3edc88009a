#include "model/tokenizer/bpe/split.h"

#include "model/tokenizer/unicode.h"

namespace model {

namespace {

using enum CharacterClass;

std::size_t run_end(std::string_view text, std::size_t at, CharacterClass kind) {
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.kind != kind) break;
    at += character.size;
  }
  return at;
}

// Size in bytes of the contraction that `text` begins with; 0 if there is none.
std::size_t contraction_size(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

// \s+(?!\S)|\s+ : the whole run of white space at the end of the text or if it is one character;
// otherwise all but its last character.
std::size_t spaces_end(std::string_view text, std::size_t begin) {
  std::size_t last = begin, end = begin;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (character.kind != space) return last > begin ? last : end;
    last = end;
    end += character.size;
  }
  return end;
}

}  // namespace

std::size_t gpt2_chunk_end(std::string_view text, std::size_t begin) {
  if (text[begin] == '\'')
    if (const std::size_t size = contraction_size(text.substr(begin))) return begin + size;
  if (text[begin] == ' ' && begin + 1 < text.size()) {
    const CharacterClass next = character_at(text, begin + 1).kind;
    if (next != space) return run_end(text, begin + 1, next);
  }
  const CharacterClass kind = character_at(text, begin).kind;
  return kind == space ? spaces_end(text, begin) : run_end(text, begin, kind);
}

}  // namespace model
