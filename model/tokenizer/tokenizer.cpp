#include "model/tokenizer/tokenizer.h"

#include <algorithm>
#include <bit>

#include "engine/base/check.h"
#include "engine/base/utf8.h"
#include "model/format/json.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/bpe/gpt2_files.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/documents_tokenizer.h"
#include "model/tokenizer/word_tokenizer.h"

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
  void encode_from(std::size_t begin, std::string_view text, TokenIds& ids, Index*) const override {
    text.remove_prefix(begin);
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

TokenizerHandle train_tokenizer(std::string_view kind, std::span<const std::string_view> texts,
                                Index bpe_vocabulary_size) {
  if (kind == "char") return CharTokenizer::train(texts);
  if (kind == "byte") return std::make_shared<ByteTokenizer>();
  if (kind == "word") return WordTokenizer::train(texts);
  if (kind == "bpe") return BpeTokenizer::train(texts, bpe_vocabulary_size);
  fail(in_quotes(kind), " is no kind of tokenizer (char, byte, word, bpe)");
}

// A small model learns most from characters as long as there is time to see the text several times
// and each character occurs often. Beyond that longer tokens see further back for the same work;
// how many are worth having grows with the text, that each occurs some hundred times.
TokenizerChoice choose_tokenizer(std::span<const std::string_view> texts) {
  constexpr std::size_t large_text = 4'000'000, many_characters = 1000;
  constexpr std::size_t bytes_per_token = 2048, least = 512, most = 16384;

  std::size_t bytes = 0;
  for (const std::string_view text : texts) {
    const std::size_t valid = valid_utf8_prefix(text);
    if (valid < text.size())
      return {"byte", 0, engine::text("the text is not UTF-8, at byte ", bytes + valid)};
    bytes += text.size();
  }

  const auto characters = std::size_t(CharTokenizer::train(texts)->vocabulary_size());
  if (characters <= many_characters && bytes < large_text)
    return {"char", 0, engine::text("the text has only ", characters, " different characters")};

  std::size_t size = std::bit_floor(bytes / bytes_per_token);
  if (characters > many_characters) size = std::max(size, std::bit_ceil(256 + characters));
  const auto vocabulary_size = Index(std::clamp(size, least, most));
  if (bytes >= large_text)
    return {"bpe", vocabulary_size, engine::text("the text is large, ", bytes / 1'000'000, " MB")};
  return {"bpe", vocabulary_size,
          engine::text("the text has ", characters, " different characters")};
}

namespace {

TokenizerHandle load_plain(Json::Value saved) {
  const std::string_view kind = saved.at("kind").string();
  if (kind == "char") return CharTokenizer::load(saved);
  if (kind == "byte") return std::make_shared<ByteTokenizer>();
  if (kind == "word") return WordTokenizer::load(saved);
  if (kind == "bpe") return BpeTokenizer::load(saved);
  fail("unknown kind ", in_quotes(kind));
}

}  // namespace

TokenizerHandle load_tokenizer(std::string_view saved) try {
  const Json json(saved);
  const Json::Value root = json.root();
  if (root.at("kind").string() != "documents") return load_plain(root);
  return std::make_shared<DocumentTokenizer>(load_plain(root.at("of")),
                                             bytes_of_printable(root.at("separator").string()));
} catch (const engine::Error& error) {
  fail("tokenizer: ", error.what());
}

Index count_characters(std::string_view bytes) {
  return std::ranges::count_if(bytes, [](unsigned char byte) { return byte >> 6 != 2; });
}

}  // namespace model
