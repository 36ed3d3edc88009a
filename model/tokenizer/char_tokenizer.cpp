#include "model/tokenizer/char_tokenizer.h"

#include "engine/base/check.h"
#include "engine/base/utf8.h"

namespace model {

using engine::append_utf8;
using engine::check;
using engine::checked_code_point;
using engine::code_point_name;
using engine::CodePoint;
using engine::count_characters;
using engine::fail;
using engine::first_code_point;

CharTokenizer::CharTokenizer(std::string_view characters) {
  check(!characters.empty(), "no characters, need at least one");
  for (std::size_t at = 0; at < characters.size();) {
    const CodePoint point = checked_code_point(characters, at);
    check(point.value >= id_of_.size(), "byte ", at, ": ", code_point_name(point.value),
          " is not greater than the character before it");
    id_of_.resize(point.value, -1);
    id_of_.push_back(static_cast<std::int32_t>(vocabulary_size()));
    add_token(characters.substr(at, point.size()));
    at += point.size();
  }
}

std::shared_ptr<const CharTokenizer> CharTokenizer::train(std::span<const std::string_view> texts) {
  std::vector<bool> occurs;
  for (const std::string_view text : texts)
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = checked_code_point(text, at);
      if (point.value >= occurs.size()) occurs.resize(point.value + 1);
      occurs[point.value] = true;
      at += point.size();
    }
  std::string characters;
  for (std::size_t value = 0; value < occurs.size(); ++value)
    if (occurs[value]) append_utf8(characters, static_cast<char32_t>(value));
  return std::make_shared<CharTokenizer>(characters);
}

void CharTokenizer::encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                                Index* skipped) const {
  ids.reserve(ids.size() + count_characters(text.substr(begin)));
  for (std::size_t at = begin; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    const std::int32_t id =
        point.bytes > 0 && point.value < id_of_.size() ? id_of_[point.value] : -1;
    if (id >= 0) {
      ids.push_back(id);
    } else if (skipped) {
      ++*skipped;
    } else {
      checked_code_point(text, at);  // throws if the text is not UTF-8 here
      fail("byte ", at, ": the vocabulary does not know ", code_point_name(point.value));
    }
    at += std::max<std::size_t>(point.size(), 1);
  }
}

// {"kind":"char","characters":"\n !..."}
std::string CharTokenizer::save() const {
  std::string characters;
  for (Index id = 0; id < vocabulary_size(); ++id) characters += token_bytes(id);
  return "{\"kind\":\"char\",\"characters\":" + json_string(characters) + "}";
}

std::shared_ptr<const CharTokenizer> CharTokenizer::load(Json::Value saved) {
  return std::make_shared<CharTokenizer>(saved.at("characters").string());
}

}  // namespace model
