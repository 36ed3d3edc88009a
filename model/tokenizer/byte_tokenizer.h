// The 256 bytes as tokens: any text can be encoded, and a token's id is its byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/base/words.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class ByteTokenizer final : public Tokenizer {
 public:
  ByteTokenizer();

  TokenizerKind kind() const override { return TokenizerKind::byte; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids, UnknownSymbols* unknown,
                   KnownChunks&) const override;
  std::string save() const override;
};

}  // namespace model
