// The computed memory of a model, term by term: the tensors that exist at the same time, written out for
// each family. (training_bytes_test.cpp compares the sums with what the pool takes, to 4 %.)
#include <vector>

#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/ops/attention_block.h"
#include "tests/catch.h"
#include "tests/unit/model/models.h"
#include "train/loop/cost.h"

using engine::Index;
using engine::real;
using model::Config;

namespace {

double block(double numbers) { return engine::pool::block_bytes(sizeof(real) * numbers); }

// Bytes of tensors (tokens, f), one for each f of `features`.
double tensors(Index tokens, const std::vector<Index>& features) {
  double bytes = 0;
  for (const Index f : features) bytes += block(static_cast<double>(tokens * f));
  return bytes;
}

// C 24, 4 heads of 10 features, 2 of keys and values, 50 hidden features: queries, keys and values are
// 80 = (4 + 2 + 2) 10, heads' outputs 40; SwiGLU's c_fc has 100.
Config config_of(model::Family family) {
  return models::of_family(
      family, models::sized(70, 300, 3, 4, 24, {.n_kv_head = 2, .head_dim = 10, .n_inner = 50}));
}

}  // namespace

TEST_CASE("model memory: of a training step, what each op saves, and what one at a time needs") {
  for (const auto& [B, T] : {std::pair<Index, Index>{7, 300}, {500, 3}}) {
    const Index tokens = B * T;
    INFO(B << " sequences of " << T);
    // Scores of a block of queries, for each thread, in rows of whole vectors.
    const Index row = engine::round_up(T, engine::kernels::lanes),
                scores = std::min(engine::query_block, T) * row * engine::thread_count();
    const double of_scores = block(double(scores)) + block(2.0 * double(scores));
    // GPT-2: a norm keeps what it reads and two numbers, the linear layer after it what it reads; attention
    // reads 80, returns 40, keeps two numbers a head; the hidden layer.
    const double gpt2_block = 2 * tensors(tokens, {24, 24, 2}) + tensors(tokens, {80, 40, 8, 50}),
                 // the last norm and the logits; gradients of 24, 80, 40 and 50 features
        rest = tensors(tokens, {24, 24, 2, 70}) + tensors(tokens, {24, 80, 40, 50});
    CHECK(train::activation_bytes(config_of(model::Family::gpt2), B, T) ==
          Approx(3 * gpt2_block + rest + of_scores).epsilon(1e-12));
    // Qwen3: a root mean square for a norm, norms of queries and keys that read 80 and keep a number for
    // each of 6 heads, gate and value in the hidden layer.
    const double qwen3_block =
                     2 * tensors(tokens, {24, 24, 1}) + tensors(tokens, {80, 6, 80, 40, 8, 100}),
                 others = tensors(tokens, {24, 24, 1, 70}) + tensors(tokens, {24, 80, 40, 50});
    CHECK(train::activation_bytes(config_of(model::Family::qwen3), B, T) ==
          Approx(3 * qwen3_block + others + of_scores).epsilon(1e-12));
  }
}

TEST_CASE(
    "model memory: of a forward pass, the tensors of the wider half, shared where sizes are "
    "equal") {
  const Index B = 7, T = 300, tokens = B * T,
              scores = std::min(engine::query_block, T) *
                       engine::round_up(T, engine::kernels::lanes) * engine::thread_count();
  // Attention has 24, 24, 80, 40, rotated and normalized 80 again; feed-forward five of 24, the hidden layer
  // before and after.
  const auto check = [&](model::Family family, const std::vector<Index>& features) {
    CHECK(train::forward_bytes(config_of(family), B, T) ==
          Approx(tensors(tokens, features) + block(double(scores))).epsilon(1e-12));
  };
  check(model::Family::gpt2, {24, 24, 24, 24, 24, 80, 40, 50, 50});
  check(model::Family::llama, {24, 24, 24, 24, 24, 80, 80, 40, 50, 100});
  check(model::Family::qwen3, {24, 24, 24, 24, 24, 80, 80, 80, 40, 50, 100});
}

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
