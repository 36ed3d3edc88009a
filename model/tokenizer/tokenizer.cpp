#include "model/tokenizer/tokenizer.h"

namespace model {

std::string_view Tokenizer::token_bytes(Index id) const {
  check(0 <= id && id < vocabulary_size(), "token ", id, " is outside the vocabulary of ",
        vocabulary_size());
  const std::size_t begin = id == 0 ? 0 : engine::at(ends_, id - 1);
  return std::string_view(bytes_).substr(begin, engine::at(ends_, id) - begin);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += token_bytes(id);
  return text;
}

TokenIds Tokenizer::encode(std::string_view text, Index* skipped) const {
  TokenIds ids(vocabulary_size());
  encode(text, ids, skipped);
  return ids;
}

void Tokenizer::add_token(std::string_view bytes) {
  bytes_ += bytes;
  ends_.push_back(bytes_.size());
}

}  // namespace model
