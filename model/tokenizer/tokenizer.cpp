#include "model/tokenizer/tokenizer.h"

#include "model/base/utf8.h"

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

TokenIds Tokenizer::encode(std::string_view text, UnknownSymbols* unknown) const {
  TokenIds ids(vocabulary_size());
  encode(text, ids, unknown);
  return ids;
}

void Tokenizer::add_token(std::string_view bytes) {
  bytes_ += bytes;
  ends_.push_back(bytes_.size());
}

std::string Tokenizer::symbol_name(std::string_view symbol) {
  const CodePoint first = first_code_point(symbol);
  return first.size() == symbol.size() ? code_point_name(first.value) : in_quotes(symbol);
}

void Tokenizer::add_unknown(std::string_view text, std::size_t at, std::size_t size,
                            UnknownSymbols* unknown) {
  if (unknown && unknown->count++ > 0) return;
  const std::string_view symbol = text.substr(at, size);
  std::string what =
      first_code_point(symbol).bytes == 0
          ? not_utf8(text, at)
          : joined("byte ", at, ": ", symbol_name(symbol), " is not in the vocabulary");
  if (!unknown) fail(what);
  unknown->first = std::move(what);
}

}  // namespace model
