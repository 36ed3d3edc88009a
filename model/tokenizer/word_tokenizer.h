// Words as tokens, as in the tutorials, but nothing is lost: a run of letters and numbers is a
// token, and so is every other character by itself, white space included.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/json.h"
#include "model/tokenizer/hash_map.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class WordTokenizer final : public Tokenizer {
 public:
  // The words must be as `train` finds them: each one word of UTF-8 text, in increasing order of
  // their bytes, at least one; anything else is an error.
  explicit WordTokenizer(const std::vector<std::string>& words);
  // For the different words of the texts, which must be UTF-8.
  static std::shared_ptr<const WordTokenizer> train(std::span<const std::string_view> texts);
  static std::shared_ptr<const WordTokenizer> load(Json::Value saved);

  std::string_view kind() const override { return "word"; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                   Index* skipped) const override;
  std::string save() const override;

 private:
  StringIndex ids_;
};

}  // namespace model
