// Documents kept apart: what another tokenizer does, and one token more, a separator that no
// document holds, between them. GPT-2's is <|endoftext|>.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/json.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

// The texts cut wherever `separator`, which must not be empty, occurs in them.
std::vector<std::string_view> documents(std::span<const std::string_view> texts,
                                        std::string_view separator);

class DocumentTokenizer final : public Tokenizer {
 public:
  // Wherever the bytes of `separator` occur, from left to right, they are one token: that of
  // `inner` with the same bytes, which between separators can never be meant, or else a new one.
  DocumentTokenizer(TokenizerHandle inner, std::string_view separator);

  std::string_view kind() const override { return inner_->kind(); }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                   Index* skipped) const override;
  std::optional<std::int32_t> separator() const override { return separator_; }
  // {"kind":"documents","separator":"<|endoftext|>","of":...}, the separator as GPT-2's files
  // write tokens.
  std::string save() const override;

  const Tokenizer& inner() const { return *inner_; }

 private:
  TokenizerHandle inner_;
  std::int32_t separator_;
};

}  // namespace model
