// Byte-level byte-pair encoding, as in GPT-2: text is cut into chunks by gpt2_chunk_end, each chunk
// starts as its bytes, and then pairs of neighbours are joined, those of the earliest merge first.
// All 256 bytes are tokens, so everything can be encoded.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/json.h"
#include "model/tokenizer/bpe/train.h"
#include "model/tokenizer/hash_map.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class BpeTokenizer final : public Tokenizer {
 public:
  // Token i stands for the bytes tokens[i]; merges name tokens by these ids, the first is made
  // first. An error unless the tokens are distinct and not empty, every byte is one, and every
  // merge is the only one of its pair and makes a token. Tokens that nothing makes, like GPT-2's
  // <|endoftext|>, are never the result of encode: their text is text like any other.
  BpeTokenizer(const std::vector<std::string>& tokens, std::vector<Merge> merges);
  // Up to `vocabulary_size` tokens, 256 or more, for texts like these. Token i is byte i for
  // i < 256.
  static std::shared_ptr<const BpeTokenizer> train(std::span<const std::string_view> texts,
                                                   Index vocabulary_size);
  static std::shared_ptr<const BpeTokenizer> load(Json::Value saved);

  std::string_view kind() const override { return "bpe"; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids,
                   Index* skipped) const override;
  std::string save() const override;

  const std::vector<Merge>& merges() const { return merges_; }

 private:
  class ChunkEncoder;

  std::vector<Merge> merges_;
  std::vector<std::int32_t> merged_;  // the token each merge makes
  KeyMap<std::int32_t> rank_of_;      // of pairs left << 32 | right: index of the merge
  std::int32_t id_of_byte_[256];
};

}  // namespace model
