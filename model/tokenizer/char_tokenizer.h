// Characters as tokens, as in nanoGPT: the distinct code points of the training text in increasing
// order. A text that is UTF-8 except for a few broken bytes adds a token for each distinct broken
// byte.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/utf8.h"
#include "model/base/words.h"
#include "model/format/json.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class CharTokenizer final : public Tokenizer {
 public:
  // The vocabulary: characters, then broken bytes. Throws Error unless there is at least one
  // character, the characters are UTF-8 with increasing code points, and the bytes increase and are
  // 0x80 or more.
  explicit CharTokenizer(std::string_view characters, std::span<const Index> broken_bytes = {});
  // A tokenizer for the characters of the texts and for bytes that belong to no character.
  static std::shared_ptr<const CharTokenizer> train(std::span<const std::string_view> texts);
  static std::shared_ptr<const CharTokenizer> load(Json::Value saved);

  TokenizerKind kind() const override { return TokenizerKind::character; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids, UnknownSymbols* unknown,
                   KnownChunks&) const override;
  std::string save() const override;

 private:
  std::int32_t find(CodePoint point, char first_byte) const;  // -1: unknown

  std::vector<std::int32_t> id_of_;  // by code point, up to the greatest known one; -1: unknown
  std::array<std::int32_t, 256> id_of_broken_;  // by byte; -1: unknown
};

}  // namespace model
