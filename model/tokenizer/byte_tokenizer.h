// The 256 bytes as tokens: any text can be encoded, and a token's id is its byte.
#pragma once

#include "model/base/words.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class ByteTokenizer final : public Tokenizer {
 public:
  ByteTokenizer();

  std::string_view kind() const override { return "byte"; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                   Index* skipped) const override;
  std::string save() const override;
};

}  // namespace model
