#include "model/tokenizer.h"

#include <algorithm>

#include "engine/check.h"
#include "model/bpe.h"
#include "model/json.h"
#include "model/tokenizer_char.h"
#include "model/tokenizer_word.h"
#include "model/utf8.h"

namespace model {

using engine::check;
using engine::fail;

namespace {

class ByteTokenizer final : public Tokenizer {
 public:
  ByteTokenizer() {
    for (int byte = 0; byte < 256; ++byte) {
      const char bytes[] = {static_cast<char>(byte)};
      add_token({bytes, 1});
    }
  }

  std::string_view kind() const override { return "byte"; }
  void encode(std::string_view text, TokenIds& ids, Index*) const override {
    ids.reserve(ids.size() + std::ssize(text));
    for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
  }
  std::string save() const override { return "{\"kind\":\"byte\"}"; }
};

}  // namespace

std::string_view Tokenizer::token_bytes(Index id) const {
  check(0 <= id && id < vocabulary_size(), "token ", id, " is outside the vocabulary of ",
        vocabulary_size());
  const std::size_t begin = id == 0 ? 0 : ends_[std::size_t(id - 1)];
  return std::string_view(bytes_).substr(begin, ends_[std::size_t(id)] - begin);
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

TokenizerHandle train_tokenizer(std::string_view kind, std::string_view text,
                                Index bpe_vocabulary_size) {
  if (kind == "char") return CharTokenizer::train(text);
  if (kind == "byte") return std::make_shared<ByteTokenizer>();
  if (kind == "word") return WordTokenizer::train(text);
  if (kind == "bpe") return BpeTokenizer::train(text, bpe_vocabulary_size);
  fail(quoted(kind), " is no kind of tokenizer (char, byte, word, bpe)");
}

TokenizerHandle load_tokenizer(std::string_view saved) try {
  const Json json(saved);
  const std::string_view kind = json.root().at("kind").string();
  if (kind == "char") return CharTokenizer::load(json.root());
  if (kind == "byte") return std::make_shared<ByteTokenizer>();
  if (kind == "word") return WordTokenizer::load(json.root());
  if (kind == "bpe") return BpeTokenizer::load(json.root());
  fail("unknown kind ", quoted(kind));
} catch (const engine::Error& error) {
  fail("tokenizer: ", error.what());
}

Index count_characters(std::string_view bytes) {
  return std::ranges::count_if(bytes, [](unsigned char byte) { return byte >> 6 != 2; });
}

}  // namespace model
