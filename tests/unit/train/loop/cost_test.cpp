// The operations of a step. (The memory that it takes: training_bytes_test.cpp.)
#include "train/loop/cost.h"

#include "tests/catch.h"

using model::Config;

TEST_CASE("model arithmetic: the matrix products of a step, forward and backward") {
  const Config config{.vocab_size = 5, .block_size = 7, .n_layer = 3, .n_head = 1, .n_embd = 2};
  // A token costs 3 layers of 12 2^2 weights and 2 x 7 x 2 for attention, and the head 5 x 2; two
  // operations each, forward and twice as many backward, for 11 x 7 tokens.
  CHECK(train::step_flops(config, 11, 7) == 6.0 * (3 * (12 * 4 + 2 * 7 * 2) + 5 * 2) * 11 * 7);
  // A head of 4 features, 3 hidden features: 12 rows of queries, keys and values, 4 of heads.
  Config other = config;
  other.head_dim = 4;
  other.n_inner = 3;
  CHECK(train::step_flops(other, 11, 7) == 6.0 * (3 * (22 * 2 + 2 * 7 * 4) + 5 * 2) * 11 * 7);
}
