// BPE's memory of chunks: with more different chunks than it keeps (2^20), and with chunks on both
// sides of the longest that it keeps (32 bytes).
#include <algorithm>
#include <string>

#include "model/tokenizer/bpe/bpe_tokenizer.h"
#include "tests/catch.h"
#include "tests/unit/model/tokenizer/ids.h"

using namespace model;

namespace {

std::shared_ptr<const BpeTokenizer> some_tokenizer() {
  std::string text;
  for (int i = 0; i < 500; ++i) text += " ab cab aab ddab" + std::string(std::size_t(i % 5), 'c');
  const std::string_view view = text;
  return BpeTokenizer::train(std::span(&view, 1), 300);
}

// " aaaa", " baaa", " caaa", ...: a chunk of its own for every number.
void append_word(std::string& text, std::size_t number) {
  text += ' ';
  for (int i = 0; i < 5; ++i, number /= 26) text += static_cast<char>('a' + number % 26);
}

}  // namespace

TEST_CASE("bpe: more different chunks than are remembered encode as few do") {
  const auto tokenizer = some_tokenizer();
  constexpr std::size_t words = (std::size_t(1) << 20) + 2000, part = 1 << 18;
  std::string text;
  Ids expected;
  const auto append = [&](std::size_t first, std::size_t last) {
    std::string piece;
    for (std::size_t i = first; i < last; ++i) append_word(piece, i);
    const Ids ids = encode(*tokenizer, piece);
    expected.insert(expected.end(), ids.begin(), ids.end());
    text += piece;
  };
  for (std::size_t i = 0; i < words; i += part) append(i, std::min(i + part, words));
  append(0, 1000);  // known before the memory was cleared
  const Ids ids = encode(*tokenizer, text);
  REQUIRE(ids.size() == expected.size());
  const auto wrong = std::ranges::mismatch(ids, expected).in1 - ids.begin();
  CHECK(wrong == std::ssize(ids));  // otherwise the first token that is wrong
}

TEST_CASE("bpe: chunks of 31, 32 and 33 bytes, once and again") {
  const auto tokenizer = some_tokenizer();
  for (const std::size_t size : {30u, 31u, 32u, 33u, 64u, 65u}) {
    std::string chunk = " ";
    while (chunk.size() < size) chunk += "abcad"[chunk.size() % 5];
    const Ids once = encode(*tokenizer, chunk);
    INFO(size << " bytes");
    CHECK(tokenizer->decode(once) == chunk);
    Ids thrice;
    for (int i = 0; i < 3; ++i) thrice.insert(thrice.end(), once.begin(), once.end());
    CHECK(encode(*tokenizer, chunk + chunk + chunk) == thrice);
  }
}
