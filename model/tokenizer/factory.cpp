#include "model/tokenizer/factory.h"

#include <memory>

#include "model/format/json.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/bpe/printable_bytes.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/word_tokenizer.h"

namespace model {

namespace {

// With tokens of several characters, a context of the same length reaches further back, and a run
// reads more text in the same time; but each token must occur often enough to be learned, and adds
// to the head's work. So pairs that occur 30 times are merged, up to 6,144 tokens; in a short text
// the most frequent pairs, up to 512 (tests/recipes/README.md, "Tokens").
TokenizerHandle train_bpe_tokenizer(std::span<const std::string_view> texts) {
  constexpr Index at_least = 30, min_size = 512, max_size = 6144;
  return BpeTokenizer::train(texts, max_size, at_least, min_size);
}

}  // namespace

TokenizerHandle train_tokenizer(TokenizerKind kind, std::span<const std::string_view> texts,
                                Index bpe_vocabulary_size) {
  switch (kind) {
    case TokenizerKind::character: return CharTokenizer::train(texts);
    case TokenizerKind::byte: return std::make_shared<ByteTokenizer>();
    case TokenizerKind::word: return WordTokenizer::train(texts);
    case TokenizerKind::bpe: break;
  }
  return bpe_vocabulary_size > 0 ? BpeTokenizer::train(texts, bpe_vocabulary_size)
                                 : train_bpe_tokenizer(texts);
}

namespace {

TokenizerHandle load_plain(Json::Value saved) {
  const std::string_view name = saved.at("kind").string();
  const auto kind = engine::value_named<TokenizerKind>(name);
  check(kind.has_value(), "unknown kind ", in_quotes(name));
  switch (*kind) {
    case TokenizerKind::character: return CharTokenizer::load(saved);
    case TokenizerKind::byte: return std::make_shared<ByteTokenizer>();
    case TokenizerKind::word: return WordTokenizer::load(saved);
    case TokenizerKind::bpe: break;
  }
  return BpeTokenizer::load(saved);
}

}  // namespace

TokenizerHandle load_tokenizer(std::string_view saved) try {
  const Json json(saved);
  const Json::Value root = json.root();
  if (root.at("kind").string() != "documents") return load_plain(root);
  const auto appends_end_of_text = root.find("ends_texts");
  return std::make_shared<DocumentTokenizer>(
      load_plain(root.at("of")), bytes_of_printable(root.at("separator").string()),
      !appends_end_of_text || appends_end_of_text->boolean());
} catch (const Error& error) {
  fail("tokenizer: ", error.what());
}

}  // namespace model
