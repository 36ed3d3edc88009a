// Bits per character and per byte, of texts in UTF-8 and in others.
#include "train/loop/text_units.h"

#include <numbers>

#include "engine/base/text.h"
#include "model/base/text.h"
#include "model/tokenizer/byte_tokenizer.h"
#include "model/tokenizer/char_tokenizer.h"
#include "model/tokenizer/document_tokenizer.h"
#include "tests/catch.h"

using namespace train;

namespace {

TextUnits units(const model::Tokenizer& tokenizer, std::string_view text) {
  return units_of(text, tokenizer.encode(text).size());
}

model::TokenizerHandle characters_of(std::string_view text) {
  return model::CharTokenizer::train({&text, 1});
}

constexpr double ln2 = std::numbers::ln2;

}  // namespace

TEST_CASE("text units: characters of several bytes") {
  const std::string text = "aé€😀";  // 1, 2, 3 and 4 bytes
  const TextUnits u = units(*characters_of(text), text);
  CHECK(u.characters_per_token == 1);
  CHECK(u.bytes_per_token == 10 / 4.0);
  CHECK(u.bits(ln2) == Approx(1).epsilon(1e-15));
  // As bytes: 10 tokens of 4 characters.
  const model::ByteTokenizer bytes;
  const TextUnits b = units(bytes, text);
  CHECK(b.bytes_per_token == 1);
  CHECK(b.characters_per_token == 4 / 10.0);
  CHECK(b.bits(ln2) == Approx(2.5).epsilon(1e-15));
  CHECK(b.unit() == "character");
}

TEST_CASE("text units: a mark between documents is no text") {
  for (const std::string mark : {"~", "<|endoftext|>", "\xff"}) {
    const model::DocumentTokenizer tokenizer(characters_of("é€"), mark);
    const model::TokenIds ids = tokenizer.encode(mark + "é" + mark + mark + "€" + mark);
    const TextUnits u = units_of(text_of(ids, 0, ids.size(), tokenizer), ids.size());
    CHECK(u.characters_per_token == 2 / 6.0);
    CHECK(u.bytes_per_token == 5 / 6.0);
    CHECK(text_of(ids, 2, 4, tokenizer).empty());
    CHECK(units_of("", 2).bits(ln2) == Approx(2));
  }
}

TEST_CASE("text units: a text may end within a character, of which its first bytes count as one") {
  const model::ByteTokenizer bytes;
  CHECK(units(bytes, "ab\xf0\x9f\x98").characters_per_token == 3 / 5.0);
}

TEST_CASE("text units: of a text that is not UTF-8, bytes") {
  const model::ByteTokenizer bytes;
  for (const std::string text :
       {"caf\xe9 au lait", "\x80\x80\x80\x80 abc", "\xff\xfe\xfd\xfc abc", "ab\xc3\x28 cd efg"}) {
    const TextUnits u = units(bytes, text);
    INFO(model::in_quotes(text));
    CHECK(u.characters_per_token == 0);
    CHECK(u.bytes_per_token == 1);
    CHECK(u.unit() == "byte");
    CHECK(u.bits(3 * ln2) == Approx(3).epsilon(1e-15));
  }
  CHECK(TextUnits{2.5, 0}.bits(5 * ln2) == Approx(2).epsilon(1e-15));
}
