// Characters as tokens, as nanoGPT has them: the distinct code points of the training text in
// increasing order.
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
  // `characters` is UTF-8, each code point greater than the one before, and not empty; anything
  // else is an error.
  explicit CharTokenizer(std::string_view characters);
  // For the characters of the texts, which must be UTF-8.
  static std::shared_ptr<const CharTokenizer> train(std::span<const std::string_view> texts);
  static std::shared_ptr<const CharTokenizer> load(Json::Value saved);

  std::string_view kind() const override { return "char"; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                   Index* skipped) const override;
  std::string save() const override;

 private:
  std::vector<std::int32_t> id_of_;  // of each code point up to the greatest one; -1 is unknown
};

}  // namespace model
