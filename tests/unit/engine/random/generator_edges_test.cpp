// Draws that begin in one block of the engine's 624 words and end in the next, against words drawn
// one by one from the standard's generator.
#include <limits>
#include <random>
#include <vector>

#include "engine/random/generator.h"
#include "tests/catch.h"

using engine::Generator;
using engine::Index;

TEST_CASE("random: pairs of words that begin in one block and end in the next") {
  for (const Index before : {0, 1, 2, 621, 622, 623, 624, 625, 1247})
    for (const std::size_t n : {1u, 2u, 3u, 311u, 312u, 313u, 1000u}) {
      Generator generator(42);
      std::mt19937 words(42);
      for (Index i = 0; i < before; ++i) CHECK(generator.random32() == words());
      std::vector<std::int64_t> drawn(n);
      generator.randint(drawn, 0, std::numeric_limits<std::int64_t>::max());
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t high = words();
        const std::uint64_t pair = high << 32 | words();
        INFO(before << " words before, pair " << i << " of " << n);
        REQUIRE(std::uint64_t(drawn[i]) == pair % ((std::uint64_t(1) << 63) - 1));
      }
      REQUIRE(generator.random32() == words());
    }
}
