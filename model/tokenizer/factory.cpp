#include "model/tokenizer/factory.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/utf8.h"
#include "model/format/json.h"
#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "model/tokenizer/bpe/printable_bytes.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/word_tokenizer.h"

namespace model {

using engine::fail;
using engine::in_quotes;

TokenizerHandle train_tokenizer(std::string_view kind, std::span<const std::string_view> texts,
                                Index bpe_vocabulary_size) {
  if (kind == "char") return CharTokenizer::train(texts);
  if (kind == "byte") return std::make_shared<ByteTokenizer>();
  if (kind == "word") return WordTokenizer::train(texts);
  if (kind == "bpe") return BpeTokenizer::train(texts, bpe_vocabulary_size);
  fail(in_quotes(kind), " is no kind of tokenizer (char, byte, word, bpe)");
}

// With tokens of several characters a context of the same length reaches further back, and a run
// reads more of the text in the same time; but each must occur often enough to be learned. As the
// different words of a text grow with the root of its length (Heaps' law), so do the tokens worth
// learning; 1.9 times the root was measured in tests/recipes/README.md.
TokenizerChoice choose_tokenizer(std::span<const std::string_view> texts) {
  constexpr std::size_t short_text = 100'000, many_characters = 1000;
  constexpr std::size_t step = 256, min_size = 512, usual_size = 6144, max_size = 16384;

  std::size_t bytes = 0;
  Index broken = 0;
  for (const std::string_view text : texts) {
    broken += engine::count_broken_bytes(text);
    bytes += text.size();
  }
  const auto tokens = static_cast<std::size_t>(1.9 * std::sqrt(static_cast<double>(bytes)));
  std::size_t size = std::clamp(tokens / step * step, min_size, usual_size);
  if (!engine::is_nearly_utf8(broken, static_cast<Index>(bytes)))
    return {"byte", static_cast<Index>(size), "the text is not UTF-8"};

  const std::size_t characters =
      engine::unsigned_size(CharTokenizer::train(texts)->vocabulary_size());
  if (characters > many_characters)
    size = std::min(std::max(size, std::bit_ceil(256 + characters)), max_size);
  if (bytes < short_text) return {"char", static_cast<Index>(size), "the text is short"};
  return {"bpe", static_cast<Index>(size),
          characters > many_characters
              ? engine::joined("the text has ", characters, " different characters")
              : engine::joined("the text is long enough for ", size, " tokens to be learned")};
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
  const auto ends_texts = root.find("ends_texts");
  return std::make_shared<DocumentTokenizer>(load_plain(root.at("of")),
                                             bytes_of_printable(root.at("separator").string()),
                                             !ends_texts || ends_texts->boolean());
} catch (const engine::Error& error) {
  fail("tokenizer: ", error.what());
}

}  // namespace model
