// Byte-level byte-pair encoding, as in GPT-2: gpt2_chunk_end cuts the text into chunks. The tokens
// of a chunk are first its bytes; then neighboring pairs are merged, the earliest merge first.
// All 256 bytes are tokens, so any text can be encoded.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/hash_map.h"
#include "model/base/words.h"
#include "model/format/json.h"
#include "model/tokenizer/bpe/train.h"
#include "model/tokenizer/tokenizer.h"

namespace model {

class BpeTokenizer final : public Tokenizer {
 public:
  // tokens[id] is the bytes of a token; merges, the earliest first, name tokens by their ids.
  // Throws Error unless the tokens are distinct and not empty, each of the 256 bytes is a token,
  // the merges are distinct, and each makes a token. encode never returns tokens that no merge
  // makes, like GPT-2's <|endoftext|>: their bytes are encoded like any other text.
  BpeTokenizer(const std::vector<std::string>& tokens, std::vector<Merge> merges);
  // Trains up to `vocabulary_size` >= 256 tokens on the texts, by merging pairs that occur at least
  // `at_least` times (at least twice, up to `min_size` tokens). Tokens 0 .. 255 are the bytes.
  static std::shared_ptr<const BpeTokenizer> train(std::span<const std::string_view> texts,
                                                   Index vocabulary_size, Index at_least = 2,
                                                   Index min_size = 256);
  static std::shared_ptr<const BpeTokenizer> load(Json::Value saved);

  TokenizerKind kind() const override { return TokenizerKind::bpe; }
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids, UnknownSymbols* unknown,
                   KnownChunks& known) const override;
  std::string save() const override;

  const std::vector<Merge>& merges() const { return merges_; }

 private:
  class ChunkEncoder;

  std::vector<Merge> merges_;
  std::vector<std::int32_t> merged_;  // the token that each merge makes
  KeyMap<std::int32_t> rank_of_;      // pair_key(left, right) -> index of the merge
  std::int32_t id_of_byte_[256];
};

}  // namespace model
