#include "model/tokenizer/word_tokenizer.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "model/base/utf8.h"
#include "model/format/json_writer.h"
#include "model/tokenizer/unicode.h"

namespace model {

namespace {

bool belongs_to_word(CharacterClass kind) {
  return kind == CharacterClass::letter || kind == CharacterClass::number;
}

// The end of the token that begins at `begin` < text.size().
std::size_t word_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size()) {
    const auto [kind, size] = character_at(text, end);
    if (!belongs_to_word(kind)) return end == begin ? end + size : end;
    end += size;
  }
  return end;
}

}  // namespace

WordTokenizer::WordTokenizer(const std::vector<std::string>& words) {
  check(!words.empty(), "no words, expected at least one");
  for (std::size_t id = 0; id < words.size(); ++id) {
    const std::string& word = words[id];
    check(
        !word.empty() && valid_utf8_prefix(word) == word.size() && word_end(word, 0) == word.size(),
        "token ", id, " is not one word");
    check(id == 0 || words[id - 1] < word, "token ", id, ", ", symbol_name(word),
          ", is not greater than the word before it");
    add_token(word);
  }
  for (Index id = 0; id < vocabulary_size(); ++id) ids_.insert(token_bytes(id), id);
}

std::shared_ptr<const WordTokenizer> WordTokenizer::train(std::span<const std::string_view> texts) {
  TextMap<bool> seen;
  std::vector<std::string> words;
  for (const std::string_view text : texts) {
    const std::size_t valid = valid_utf8_prefix(text);
    if (valid < text.size()) checked_code_point(text, valid);  // throws
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = word_end(text, begin);
      const std::string_view word = text.substr(begin, end - begin);
      if (seen.insert(word, true).second) words.emplace_back(word);
      begin = end;
    }
  }
  std::ranges::sort(words);
  return std::make_shared<WordTokenizer>(words);
}

void WordTokenizer::encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                                UnknownSymbols* unknown, KnownChunks&) const {
  while (begin < text.size()) {
    const std::size_t end = word_end(text, begin);
    if (const Index* id = ids_.find(text.substr(begin, end - begin)))
      ids.push_back(static_cast<std::int32_t>(*id));
    else
      add_unknown(text, begin, end - begin, unknown);
    begin = end;
  }
}

// {"kind":"word","words":["\n"," ","!",...]}
std::string WordTokenizer::save() const {
  const auto word = [&](Index id) { return token_bytes(id); };
  return JsonObject()
      .add("kind", engine::name_of(kind()), "words", json_array(vocabulary_size(), word))
      .text();
}

std::shared_ptr<const WordTokenizer> WordTokenizer::load(Json::Value saved) {
  std::vector<std::string> words;
  for (const Json::Value word : saved.at("words").elements()) words.emplace_back(word.string());
  return std::make_shared<WordTokenizer>(words);
}

}  // namespace model
