// Where batches begin: nanoGPT's draw, torch.randint(len(data) - block_size, (batch_size,)).
#include "train/loop/corpus.h"

#include <random>

#include "tests/catch.h"
#include "tests/unit/train/loop/counting.h"

using namespace train;

TEST_CASE("corpus: batches begin where torch.randint says") {
  // randint's rule for a range below 2^32: one word of MT19937 modulo the range
  // (tests/data/pytorch_random.txt holds PyTorch's own numbers).
  for (const Index n : {9, 10, 100, 5000, 111540})
    for (const Split split : {Split::train, Split::validation}) {
      const Index T = 8;
      const Corpus corpus(counting(2 * n, 2 * n), n);
      engine::Generator generator(1337);
      std::mt19937 words(1337);
      std::vector<std::int64_t> starts(50);
      corpus.draw(split, T, generator, starts);
      for (std::size_t i = 0; i < starts.size(); ++i) {
        INFO(n << " tokens, start " << i);
        REQUIRE(starts[i] == std::int64_t(words()) % (n - T));
      }
    }
}

TEST_CASE("corpus: a batch holds sequences of its split and what follows each token") {
  const Corpus corpus(counting(1000, 1000), 700);
  engine::Generator generator(1);
  Batch batch(4, 8);
  std::vector<std::int64_t> starts(4);
  for (int round = 0; round < 200; ++round) {
    corpus.draw(Split::validation, 8, generator, starts);
    corpus.fill(Split::validation, starts, batch);
    for (std::size_t i = 0; i < 32; ++i) {
      INFO("round " << round << ", position " << i);
      REQUIRE(batch.ids[i] >= 700);
      REQUIRE(batch.targets[i] == batch.ids[i] + 1);
      REQUIRE(batch.ids[i] == 700 + starts[i / 8] + Index(i % 8));
    }
  }
}
