// A tokenizer for texts of several documents: another tokenizer's tokens for the documents, and
// between documents one end-of-text token, such as GPT-2's <|endoftext|>.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/words.h"
#include "model/format/json.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

// The texts cut at each occurrence of `separator`, which must not be empty.
std::vector<std::string_view> documents(std::span<const std::string_view> texts,
                                        std::string_view separator);

class DocumentTokenizer final : public Tokenizer {
 public:
  // Each occurrence of `separator`, found from left to right, is one token: the token of `inner`
  // with these bytes, if `inner` has one, or a new token. It occurs nowhere else.
  // appends_end_of_text: false for models trained elsewhere, where we cannot know.
  DocumentTokenizer(TokenizerHandle inner, std::string_view separator,
                    bool appends_end_of_text = true);

  TokenizerKind kind() const override { return inner_->kind(); }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids, UnknownSymbols* unknown,
                   KnownChunks& known) const override;
  std::optional<std::int32_t> end_of_text() const override { return end_of_text_; }
  bool appends_end_of_text() const override { return appends_end_of_text_; }
  // {"kind":"documents","separator":"<|endoftext|>","of":...}: the separator by printable_bytes,
  // and inner().save(); "ends_texts":false before "of" if appends_end_of_text is false.
  std::string save() const override;

  const TokenizerHandle& inner() const { return inner_; }

 private:
  TokenizerHandle inner_;
  std::int32_t end_of_text_;
  bool appends_end_of_text_;
};

}  // namespace model
