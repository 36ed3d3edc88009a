// Bits per character and per byte, of texts in UTF-8 and in others.
#include "train/text/text_units.h"

#include <numbers>

#include "engine/base/text.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"

using namespace train;

namespace {

// The text's last `validation` tokens are its validation part.
Corpus corpus_of(const model::Tokenizer& tokenizer, std::string_view text, Index validation) {
  model::TokenIds ids = tokenizer.encode(text);
  const Index n = ids.size();
  return {std::move(ids), n - validation};
}

TextUnits units(const model::Tokenizer& tokenizer, std::string_view text, Index validation) {
  return units_of(corpus_of(tokenizer, text, validation), tokenizer);
}

model::TokenizerHandle characters_of(std::string_view text) {
  return model::CharTokenizer::train({&text, 1});
}

constexpr double ln2 = std::numbers::ln2;

}  // namespace

TEST_CASE("text units: of ASCII, a token is a character and a byte") {
  const std::string text = "Once upon a time";
  for (const Index validation : {1, 5, 16}) {
    INFO("validation " << validation);
    for (const model::TokenizerHandle& tokenizer :
         {characters_of(text), model::TokenizerHandle(new model::ByteTokenizer)}) {
      const TextUnits u = units(*tokenizer, text, validation);
      CHECK(u.bytes_per_token == 1);
      CHECK(u.characters_per_token == 1);
      CHECK(u.unit() == "character");
      CHECK(u.bits(2 * ln2) == Approx(2).epsilon(1e-15));
    }
  }
}

TEST_CASE("text units: characters of several bytes") {
  const std::string text = "training aé€😀";  // 1, 2, 3 and 4 bytes at its end
  const TextUnits u = units(*characters_of(text), text, 4);
  CHECK(u.characters_per_token == 1);
  CHECK(u.bytes_per_token == 10 / 4.0);
  CHECK(u.bits(ln2) == Approx(1).epsilon(1e-15));
  // As bytes: 10 tokens of 4 characters.
  const model::ByteTokenizer bytes;
  const TextUnits b = units(bytes, text, 10);
  CHECK(b.bytes_per_token == 1);
  CHECK(b.characters_per_token == 4 / 10.0);
  CHECK(b.bits(ln2) == Approx(2.5).epsilon(1e-15));
  CHECK(b.unit() == "character");
}

TEST_CASE("text units: a split inside a character belongs to the training part") {
  const model::ByteTokenizer bytes;
  const std::string text = "training 😀é €.";
  // From the end: . is 1 byte, the euro 3, the space 1, é 2, the face 4.
  const double characters[] = {0, 1, 1, 1, 2, 3, 3, 4, 4, 4, 4, 5};
  for (Index validation = 1; validation <= 11; ++validation) {
    INFO("validation " << validation);
    const TextUnits u = units(bytes, text, validation);
    CHECK(u.characters_per_token == characters[validation] / static_cast<double>(validation));
    CHECK(u.bytes_per_token == 1);
  }
  // A text may also end inside of one.
  CHECK(units(bytes, "training ab\xf0\x9f\x98", 5).characters_per_token == 3 / 5.0);
}

TEST_CASE("text units: of a text that is not UTF-8, bytes") {
  const model::ByteTokenizer bytes;
  for (const std::string text : {"training caf\xe9 au lait", "training \x80\x80\x80\x80 abc",
                                 "training \xff\xfe\xfd\xfc abc", "training ab\xc3\x28 cd efg"}) {
    const TextUnits u = units(bytes, text, std::ssize(text) - 9);
    INFO(engine::in_quotes(text));
    CHECK(u.characters_per_token == 0);
    CHECK(u.bytes_per_token == 1);
    CHECK(u.unit() == "byte");
    CHECK(u.bits(3 * ln2) == Approx(3).epsilon(1e-15));
  }
  CHECK(TextUnits{2.5, 0}.bits(5 * ln2) == Approx(2).epsilon(1e-15));
}
