// Characters as tokens, as in nanoGPT: the distinct code points of the training text in increasing
// order.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/json.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class CharTokenizer final : public Tokenizer {
 public:
  // The vocabulary. An error unless `characters` is UTF-8, not empty, and its code points increase.
  explicit CharTokenizer(std::string_view characters);
  // A tokenizer for the characters of the texts, which must be UTF-8.
  static std::shared_ptr<const CharTokenizer> train(std::span<const std::string_view> texts);
  static std::shared_ptr<const CharTokenizer> load(Json::Value saved);

  std::string_view kind() const override { return "char"; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                   Index* skipped) const override;
  std::string save() const override;

 private:
  std::vector<std::int32_t> id_of_;  // by code point, up to the greatest known one; -1: unknown
};

}  // namespace model
