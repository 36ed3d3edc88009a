// The tokenizer that suits a text: how large a vocabulary is learned if nobody says.
#include "train/text/sources.h"

#include <random>

#include "tests/catch.h"

using namespace train;

TEST_CASE("sources: a bpe learns a token for every 500 bytes, 512 at least and 8,192 at most") {
  // Random letters: there are pairs enough for any vocabulary.
  std::mt19937 random(1);
  std::string letters;
  while (letters.size() < 4'200'000) letters += static_cast<char>('a' + random() % 26);
  const auto size_for = [&](std::size_t bytes) {
    Settings settings;
    settings.tokenizer = "bpe";
    settings.given = {"tokenizer"};
    Sources sources;
    sources.training.joined = letters.substr(0, bytes);
    Notes notes;
    return make_tokenizer(settings, sources, notes)->vocabulary_size();
  };
  CHECK(size_for(50'000) == 512);
  CHECK(size_for(256'499) == 512);
  CHECK(size_for(256'500) == 513);
  CHECK(size_for(4'200'000) == 8192);
}
