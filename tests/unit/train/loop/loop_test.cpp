// The parts of a training run: schedule, corpus, evaluation windows, optimiser.
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "nn/adamw.h"
#include "tests/catch.h"
#include "train/loop/corpus.h"
#include "train/loop/evaluation.h"
#include "train/loop/schedule.h"

using namespace train;
using engine::real;
using engine::Tensor;
using nn::AdamW;
using nn::AdamWOptions;

namespace {

model::TokenIds counting(Index n, Index vocabulary) {
  model::TokenIds ids(vocabulary);
  for (Index i = 0; i < n; ++i) ids.push_back(static_cast<std::int32_t>(i % vocabulary));
  return ids;
}

struct Pair {
  Tensor matrix, vector;
  void reflect(nn::Reflector& r) {
    r("matrix", matrix);
    r("vector", vector);
  }
};

}  // namespace

TEST_CASE("schedule: warm-up, half a cosine, then the least") {
  const Schedule s{.learning_rate = 1e-3,
                   .min_lr = 1e-4,
                   .warmup_iters = 100,
                   .lr_decay_iters = 2000,
                   .decay_lr = true};
  CHECK(s.learning_rate_at(0) == Approx(1e-3 / 101));
  CHECK(s.learning_rate_at(99) == Approx(1e-3 * 100 / 101));
  CHECK(s.learning_rate_at(100) == Approx(1e-3));
  CHECK(s.learning_rate_at(1050) == Approx(5.5e-4));
  CHECK(s.learning_rate_at(2000) == Approx(1e-4));
  CHECK(s.learning_rate_at(5000) == 1e-4);
  CHECK(Schedule{.learning_rate = 0.5, .decay_lr = false}.learning_rate_at(0) == 0.5);
  // A decay that ends with the warm-up is no division by zero.
  CHECK(std::isfinite(Schedule{.warmup_iters = 10, .lr_decay_iters = 10}.learning_rate_at(10)));
}

TEST_CASE("evaluation: logits of some positions at a time give the loss of all") {
  const model::Config config{
      .vocab_size = 11, .block_size = 5, .n_layer = 1, .n_head = 2, .n_embd = 8};
  model::GPT gpt(config);
  engine::Generator generator(3);
  initialise(gpt, generator, 0.5);
  Batch batch(10, 5);
  fill(counting(60, 11), 0, std::vector<std::int64_t>{0, 5, 10, 15, 20, 25, 30, 35, 40, 45}, batch);
  const double whole = batch_loss(gpt, batch);
  CHECK(whole == static_cast<double>(gpt.loss(batch.ids, batch.targets, 10, 5).item()));
  // 50 rows one by one, and in threes with two left. Each mean is rounded by an eps at most, as each
  // logit is, whose product of 8 terms could be summed in another order.
  for (const Index most : {1, 48 * 11}) {
    INFO("at most " << most);
    CHECK(batch_loss(gpt, batch, most) ==
          Approx(whole).epsilon(10 * std::numeric_limits<real>::epsilon()));
  }
}

TEST_CASE("corpus: the split is nanoGPT's, but validation holds at least one window") {
  const Corpus shakespeare(counting(1'115'394, 65), 0.1, 64);
  CHECK(shakespeare.size(Split::train) == 1'003'854);
  CHECK(shakespeare.size(Split::validation) == 111'540);
  const Corpus tiny(counting(130, 10), 0.1, 64);
  CHECK(tiny.size(Split::validation) == 65);
  CHECK_THROWS_WITH(Corpus(counting(129, 10), 0.1, 64),
                    "129 tokens, need at least 130 (block_size 64 + 1 for training, as many for "
                    "validation)");
}

TEST_CASE("corpus: a batch holds sequences of its split and what follows each token") {
  const Corpus corpus(counting(1000, 1000), 0.3, 8);
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

TEST_CASE("evaluation: windows cover every token of a split but the first, once") {
  model::Config config{.vocab_size = 7, .block_size = 8, .n_layer = 1, .n_head = 1, .n_embd = 8};
  model::GPT gpt(config);
  engine::Generator generator(3);
  model::initialise(gpt, generator);
  for (const Index n : {18, 19, 24, 25, 26, 33, 100}) {
    const Corpus corpus(counting(n, 7), 0.5, 8);
    const Index predicted = corpus.size(Split::validation) - 1;
    INFO("validation tokens " << predicted + 1);
    for (const Index batch_size : {1, 2, 3, 50}) {
      const WindowLoss all = window_loss(gpt, corpus, Split::validation, batch_size);
      CHECK(all.tokens == predicted);
      CHECK(all.windows == (predicted + 7) / 8);
      // The mean of single windows, weighted by their tokens.
      const WindowLoss single = window_loss(gpt, corpus, Split::validation, 1);
      CHECK(all.loss == Approx(single.loss).epsilon(1e-5));
    }
    const WindowLoss some = window_loss(gpt, corpus, Split::validation, 2, 1);
    CHECK(some.windows == 1);
    CHECK(some.tokens == std::min<Index>(8, predicted));
  }
}

TEST_CASE("AdamW: one fused pass equals the formulas, weight by weight") {
  Pair model{Tensor::of({2, 3}, {1, -2, 3, -4, 5, -6}), Tensor::of({3}, {0.5, -0.5, 1})};
  model.matrix.require_gradient();
  model.vector.require_gradient();
  const nn::FlatParameters flat(model);
  const AdamWOptions o{
      .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-8, .weight_decay = 0.1, .grad_clip = 1};
  AdamW adamw(nn::decay_matrices(nn::tensors(model)), o);
  std::vector<double> p, m(9), v(9);
  for (const auto& entry : flat.entries())
    for (const real x : entry.tensor.values()) p.push_back(static_cast<double>(x));
  for (int t = 1; t <= 5; ++t) {
    std::vector<double> g;
    double norm = 0;
    for (int i = 0; i < 9; ++i) g.push_back(std::sin(t * 10 + i) * (t == 3 ? 0.01 : 1));
    for (const double x : g) norm += x * x;
    norm = std::sqrt(norm);
    model.matrix.gradient().accumulate(
        Tensor::of({2, 3}, std::vector<real>(g.begin(), g.begin() + 6)));
    model.vector.gradient().accumulate(Tensor::of({3}, std::vector<real>(g.begin() + 6, g.end())));
    const double lr = 0.01 * t;
    CHECK(adamw.step(lr) == Approx(norm).epsilon(1e-6));
    for (std::size_t i = 0; i < 9; ++i) {
      const double gradient = g[i] * std::min(1.0, 1 / (norm + 1e-6));
      m[i] = 0.9 * m[i] + 0.1 * gradient;
      v[i] = 0.95 * v[i] + 0.05 * gradient * gradient;
      if (i < 6) p[i] *= 1 - lr * 0.1;  // the vector does not decay
      p[i] -=
          lr * (m[i] / (1 - std::pow(0.9, t))) / (std::sqrt(v[i] / (1 - std::pow(0.95, t))) + 1e-8);
      const real now = i < 6 ? model.matrix.data()[i] : model.vector.data()[i - 6];
      INFO("update " << t << ", weight " << i);
      CHECK(static_cast<double>(now) == Approx(p[i]).epsilon(2e-6).margin(1e-6));
    }
    CHECK_FALSE(model.matrix.gradient().written());
  }
}
