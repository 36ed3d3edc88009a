#include "model/tokenizer/char_tokenizer.h"

#include <cstdint>

#include "model/base/utf8.h"
#include "model/format/json_writer.h"

namespace model {

CharTokenizer::CharTokenizer(std::string_view characters, std::span<const Index> broken_bytes) {
  check(!characters.empty(), "no characters, expected at least one");
  for (std::size_t at = 0; at < characters.size();) {
    const CodePoint point = checked_code_point(characters, at);
    if (point.value < id_of_.size())
      fail("byte ", at, ": ", code_point_name(point.value),
           " is not greater than the character before it");
    id_of_.resize(point.value, -1);
    id_of_.push_back(static_cast<std::int32_t>(vocabulary_size()));
    add_token(characters.substr(at, point.size()));
    at += point.size();
  }
  id_of_broken_.fill(-1);
  Index last = 0x7F;
  for (const Index byte : broken_bytes) {
    check(byte > last && byte <= 0xFF, "broken byte ", byte, ": expected one in ", last + 1,
          "..255");
    last = byte;
    engine::at(id_of_broken_, byte) = static_cast<std::int32_t>(vocabulary_size());
    const char token = static_cast<char>(byte);
    add_token({&token, 1});
  }
}

std::shared_ptr<const CharTokenizer> CharTokenizer::train(std::span<const std::string_view> texts) {
  std::vector<bool> occurs, is_broken(256);
  for (const std::string_view text : texts)
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = first_code_point(text.substr(at));
      if (point.bytes == 0) {
        is_broken[static_cast<unsigned char>(text[at++])] = true;
        continue;
      }
      if (point.value >= occurs.size()) occurs.resize(point.value + 1);
      occurs[point.value] = true;
      at += point.size();
    }
  std::string characters;
  for (std::size_t value = 0; value < occurs.size(); ++value)
    if (occurs[value]) append_utf8(characters, static_cast<char32_t>(value));
  std::vector<Index> broken_bytes;
  for (Index byte = 0x80; byte <= 0xFF; ++byte)
    if (engine::at(is_broken, byte)) broken_bytes.push_back(byte);
  return std::make_shared<CharTokenizer>(characters, broken_bytes);
}

std::int32_t CharTokenizer::find(CodePoint point, char first_byte) const {
  if (point.bytes == 0) return id_of_broken_[static_cast<unsigned char>(first_byte)];
  return point.value < id_of_.size() ? id_of_[point.value] : -1;
}

void CharTokenizer::encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                                UnknownSymbols* unknown, KnownChunks&) const {
  ids.reserve(ids.size() + count_characters(text.substr(begin)));
  for (std::size_t at = begin; at < text.size();) {
    const CodePoint point = first_code_point(text.substr(at));
    const std::int32_t id = find(point, text[at]);
    const std::size_t size = std::max<std::size_t>(point.size(), 1);
    if (id >= 0)
      ids.push_back(id);
    else
      add_unknown(text, at, size, unknown);
    at += size;
  }
}

// {"kind":"char","characters":"\n !..."}, and if there are any, "broken_bytes":[233]
std::string CharTokenizer::save() const {
  std::string characters;
  std::vector<int> broken_bytes;
  for (Index id = 0; id < vocabulary_size(); ++id) {
    const std::string_view token = token_bytes(id);
    if (first_code_point(token).bytes > 0)
      characters += token;
    else
      broken_bytes.push_back(static_cast<unsigned char>(token[0]));
  }
  JsonObject json;
  json.add("kind", engine::name_of(kind()), "characters", characters);
  if (!broken_bytes.empty()) json.add("broken_bytes", json_array(broken_bytes));
  return json.text();
}

std::shared_ptr<const CharTokenizer> CharTokenizer::load(Json::Value saved) {
  std::vector<Index> broken_bytes;
  if (const auto bytes = saved.find("broken_bytes"))
    for (const Json::Value byte : bytes->elements()) broken_bytes.push_back(byte.integer());
  return std::make_shared<CharTokenizer>(saved.at("characters").string(), broken_bytes);
}

}  // namespace model
