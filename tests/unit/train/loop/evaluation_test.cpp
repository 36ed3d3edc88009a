// Losses of windows and batches: of every token once, however many are computed at a time.
#include "train/loop/evaluation.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/model/models.h"
#include "tests/unit/train/loop/counting.h"
#include "train/loop/corpus.h"

using namespace train;
using engine::real;

TEST_CASE("evaluation: logits of some positions at a time give the loss of all") {
  model::GPT gpt({.vocab_size = 11, .block_size = 5, .n_layer = 1, .n_head = 2, .n_embd = 8});
  engine::Generator generator(3);
  initialize(gpt, generator, 0.5);
  Batch batch(10, 5);
  fill(counting(60, 11), 0, std::vector<std::int64_t>{0, 5, 10, 15, 20, 25, 30, 35, 40, 45}, batch);
  const double whole = batch_loss(gpt, batch);
  CHECK(whole == static_cast<double>(gpt.loss(batch.ids, batch.targets, 10, 5).item()));
  // 50 rows one by one, and in threes with two left. Each mean is rounded by an eps at most, and so
  // is each logit: its product of 8 terms could be summed in another order.
  for (const Index most : {1, 48 * 11}) {
    INFO("at most " << most);
    CHECK(batch_loss(gpt, batch, most) ==
          Approx(whole).epsilon(10 * std::numeric_limits<real>::epsilon()));
  }
}

TEST_CASE("evaluation: no more logits are held at once than it may hold") {
  const model::GPT gpt(models::sized(100'000, 5, 1, 2, 8));
  Batch batch(10, 5);
  fill(counting(60, 11), 0, std::vector<std::int64_t>{0, 5, 10, 15, 20, 25, 30, 35, 40, 45}, batch);
  const Index logits = 50 * gpt.config.vocab_size;
  const auto taken = [&](Index most) {
    engine::pool::trim();
    const std::size_t before = engine::pool::usage().reserved;
    batch_loss(gpt, batch, most);
    return engine::pool::usage().reserved - before;
  };
  CHECK(taken(logits) >= engine::unsigned_size(logits) * sizeof(real));
  CHECK(taken(logits - 1) < engine::unsigned_size(logits) * sizeof(real) / 2);
}

TEST_CASE("evaluation: as many windows at a time as 2^24 numbers hold, from 1 to 64") {
  for (const Index block_size : {1, 64, 1000, 4096, 1 << 20})
    for (const Index vocabulary : {1, 300, 50'257})
      for (const Index n_embd : {1, 128, 4096}) {
        const Index widest = block_size * std::max(vocabulary, 4 * n_embd),
                    n = windows_at_once(
                        {.vocab_size = vocabulary, .block_size = block_size, .n_embd = n_embd});
        INFO(widest << " numbers for a window");
        CHECK((n == 1 || n * widest <= 16'777'216));
        CHECK((n == 64 || (n + 1) * widest > 16'777'216));
        CHECK((n >= 1 && n <= 64));
      }
}

TEST_CASE("evaluation: windows are spread over the whole part, and all of them read it once") {
  const model::GPT gpt = models::initialized(models::sized(5, 4, 1, 1, 4), 3);
  const auto check = [&](Index n, Index most, const std::vector<Index>& starts) {
    const model::TokenIds ids = tokens_of(n, 5, [](Index i) { return i * i % 7 % 5; });
    double sum = 0;
    Index tokens = 0;
    for (const Index start : starts) {
      const Index length = std::min<Index>(4, n - 1 - start);
      std::vector<std::int32_t> in(static_cast<std::size_t>(length)), out = in;
      ids.copy(start, in);
      ids.copy(start + 1, out);
      sum += double(gpt.loss(in, out, 1, length).item()) * double(length);
      tokens += length;
    }
    for (const Index batch_size : {1, 3, 50}) {
      const WindowLoss got = window_loss(gpt, ids, 0, n, batch_size, most);
      INFO(n << " tokens, at most " << most << " windows, " << batch_size << " at a time");
      CHECK(got.tokens == tokens);
      // A batch's mean is rounded once more than its sequences'.
      CHECK(got.loss ==
            Approx(sum / double(tokens)).epsilon(10 * std::numeric_limits<real>::epsilon()));
    }
  };
  // Of ten windows and one of two targets.
  check(43, 1, {0});
  check(43, 2, {0, 20});
  check(43, 3, {0, 12, 28});
  check(43, 4, {0, 8, 20, 32});
  check(43, 10, {0, 4, 8, 12, 16, 20, 24, 28, 32, 36});
  for (const Index n : {2, 5, 6, 41, 42, 43, 44}) {
    std::vector<Index> all;
    for (Index start = 0; start < n - 1; start += 4) all.push_back(start);
    for (const Index most : {0, 50}) check(n, most, all);
  }
}
