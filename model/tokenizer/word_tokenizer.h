// Words as tokens: each run of letters and numbers is a token, and so is every other single
// character, white space included. So, unlike splitting at spaces, decoding restores the text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/hash_map.h"
#include "model/base/words.h"
#include "model/format/json.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class WordTokenizer final : public Tokenizer {
 public:
  // The vocabulary. An error unless there is a word, each is a single word of UTF-8 text, and the
  // words increase in the order of their bytes.
  explicit WordTokenizer(const std::vector<std::string>& words);
  // A tokenizer for the distinct words of the texts, which must be UTF-8.
  static std::shared_ptr<const WordTokenizer> train(std::span<const std::string_view> texts);
  static std::shared_ptr<const WordTokenizer> load(Json::Value saved);

  TokenizerKind kind() const override { return TokenizerKind::word; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids, UnknownSymbols* unknown,
                   KnownChunks&) const override;
  std::string save() const override;

 private:
  TextMap<Index> ids_;
};

}  // namespace model
