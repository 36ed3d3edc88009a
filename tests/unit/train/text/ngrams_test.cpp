// N-grams, to compare a model's loss with: the same for any tokens.
#include "train/text/ngrams.h"

#include "model/baseline/ngram.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "model/tokenizer/factory.h"
#include "tests/catch.h"
#include "tests/unit/train/loop/counting.h"

using namespace train;

namespace {

// Two words in alternation, except one time in eight. To predict the next word, a model must see where
// the last one begins.
std::string in_turn(const std::string& ending) {
  std::string text;
  unsigned x = 1;
  bool first = true;
  while (text.size() < 12'000) {
    x = x * 1664525 + 1013904223;
    if (x >> 29 != 0) first = !first;
    text += (first ? "я" : "ж") + ending + ' ';
  }
  return text;
}

struct Counted {
  Ngrams ngrams;
  double tokens;  // of the part that is predicted
};

Counted counted(const std::string& text, const model::TokenizerHandle& tokenizer) {
  model::TokenIds ids(tokenizer->vocabulary_size());
  const std::size_t half = text.find(' ', 6000) + 1;
  const std::string_view training = std::string_view(text).substr(0, half),
                         validation = std::string_view(text).substr(half);
  tokenizer->encode(training, ids);
  const Index begin = ids.size();
  tokenizer->encode(validation, ids);
  return {count_ngrams(ids, begin, *tokenizer, tokenizer->vocabulary_size()),
          double(ids.size() - begin)};
}

// Token 0 stands for no byte, as a token of somebody else's tokenizer may.
struct WithEmpty final : model::Tokenizer {
  WithEmpty() {
    for (const char* const bytes : {"", "a", "b"}) add_token(bytes);
  }
  model::TokenizerKind kind() const override { return model::TokenizerKind::bpe; }
  void encode_from(std::size_t, std::string_view, model::TokenIds&, model::UnknownSymbols*,
                   model::KnownChunks&) const override {}
  std::string save() const override { return ""; }
};

}  // namespace

TEST_CASE("ngrams: of characters and marks, whatever the model's tokens are") {
  for (const std::string mark : {"", "<|end|>"}) {
    std::string text = in_turn("би");  // three characters back, six bytes
    for (std::size_t at = 0; (at = text.find(' ', at)) != text.npos;) text.insert(++at, mark);
    const auto count = [&](const model::TokenizerHandle& tokenizer) {
      return mark.empty()
                 ? counted(text, tokenizer)
                 : counted(text, std::make_shared<model::DocumentTokenizer>(tokenizer, mark));
    };
    const Counted characters =
                      count(model::train_tokenizer(model::TokenizerKind::character, "жяби ")),
                  bytes = count(std::make_shared<model::ByteTokenizer>());
    CHECK(characters.ngrams.symbol == "character");
    CHECK(bytes.ngrams.symbol == "character");
    REQUIRE(characters.ngrams.losses.size() == 6);
    // In nats per token of the model.
    for (std::size_t k = 0; k < 6; ++k)
      CHECK(bytes.ngrams.losses[k] * bytes.tokens ==
            Approx(characters.ngrams.losses[k] * characters.tokens));
  }
}

TEST_CASE("ngrams: of tokens where those predict better") {
  const std::string text = in_turn("олоколо");  // eight characters back, one word
  const Counted words = counted(text, model::train_tokenizer(model::TokenizerKind::word, text)),
                characters =
                    counted(text, model::train_tokenizer(model::TokenizerKind::character, text));
  CHECK(words.ngrams.symbol == "token");
  CHECK(words.ngrams.best_loss() * words.tokens <
        0.9 * characters.ngrams.best_loss() * characters.tokens);
  CHECK(words.ngrams.losses[std::size_t(words.ngrams.best_length() - 1)] ==
        words.ngrams.best_loss());
}

TEST_CASE("ngrams: of bytes if the text is not UTF-8") {
  const model::ByteTokenizer tokenizer;
  const model::TokenIds ids = tokens_of(900, 256, [](Index i) { return 0x80 + i * i % 7; });
  const Ngrams ngrams = count_ngrams(ids, 600, tokenizer, 256);
  CHECK(ngrams.symbol == "byte");
  CHECK(ngrams.losses == model::ngram_losses(ids, 600, 256));
  CHECK_FALSE(Ngrams{}.counted());
}

TEST_CASE("ngrams: of tokens if one of the parts has no bytes") {
  for (const std::vector<std::int32_t>& all :
       {std::vector<std::int32_t>{0, 0, 1, 2, 1}, {1, 2, 1, 0, 0}}) {
    const model::TokenIds ids = tokens_of(5, 3, [&](Index i) { return engine::at(all, i); });
    const Index train_size = all[0] == 0 ? 2 : 3;
    const Ngrams ngrams = count_ngrams(ids, train_size, WithEmpty(), 3);
    CHECK(ngrams.symbol == "token");
    CHECK(ngrams.losses == model::ngram_losses(ids, train_size, 3));
  }
}
