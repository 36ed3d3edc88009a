#include "model/tokenizer/factory.h"

#include "model/base/utf8.h"
#include "model/format/json.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/bpe/printable_bytes.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/word_tokenizer.h"

namespace model {

namespace {

// With tokens of several characters a context of the same length reaches further back, and a run
// reads more of the text in the same time; but each token must occur often enough to be learned,
// and has its share of the work of the head. So pairs are merged that occur 30 times, up to 6,144
// tokens, or in a short text the most frequent pairs, up to 512 (tests/recipes/README.md, "Tokens").
TokenizerHandle train_bpe_tokenizer(std::span<const std::string_view> texts) {
  constexpr Index at_least = 30, min_size = 512, max_size = 6144;
  return BpeTokenizer::train(texts, max_size, at_least, min_size);
}

}  // namespace

TokenizerHandle train_tokenizer(std::string_view kind, std::span<const std::string_view> texts,
                                Index bpe_vocabulary_size) {
  if (kind == "char") return CharTokenizer::train(texts);
  if (kind == "byte") return std::make_shared<ByteTokenizer>();
  if (kind == "word") return WordTokenizer::train(texts);
  if (kind == "bpe")
    return bpe_vocabulary_size > 0 ? BpeTokenizer::train(texts, bpe_vocabulary_size)
                                   : train_bpe_tokenizer(texts);
  fail(in_quotes(kind), " is not a kind of tokenizer (char, byte, word, bpe)");
}

TokenizerChoice choose_tokenizer(std::span<const std::string_view> texts) {
  constexpr std::size_t short_text = 100'000;

  std::size_t bytes = 0;
  Index broken = 0;
  for (const std::string_view text : texts) {
    broken += count_broken_bytes(text);
    bytes += text.size();
  }
  check(bytes > 0, "no characters, need at least one");
  if (!is_nearly_utf8(broken, static_cast<Index>(bytes))) return {"byte", "the text is not UTF-8"};
  if (bytes < short_text) return {"char", "the text is short"};
  return {"bpe", "the text is long enough"};
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
  const auto appends_end_of_text = root.find("ends_texts");
  return std::make_shared<DocumentTokenizer>(
      load_plain(root.at("of")), bytes_of_printable(root.at("separator").string()),
      !appends_end_of_text || appends_end_of_text->boolean());
} catch (const Error& error) {
  fail("tokenizer: ", error.what());
}

}  // namespace model
