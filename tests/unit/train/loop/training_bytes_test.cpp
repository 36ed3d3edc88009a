// The estimate of training's memory, against what it takes from the system.
#include <algorithm>
#include <cmath>

#include "engine/base/storage.h"

#include "tests/catch.h"
#include "tests/unit/engine/scoped_threads.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "train/loop/cost.h"
#include "train/loop/evaluation.h"
#include "train/loop/trainer.h"

using namespace train;
namespace pool = engine::pool;

namespace {

constexpr model::Family families[] = {model::Family::gpt2, model::Family::llama,
                                      model::Family::qwen3};

// Heads of keys, sizes that do not follow from the channels, dropout, a head of its own.
const model::Config unusual{.vocab_size = 100,
                            .block_size = 48,
                            .n_layer = 2,
                            .n_head = 6,
                            .n_embd = 48,
                            .dropout = 0.1,
                            .n_kv_head = 2,
                            .tie_weights = false,
                            .head_dim = 16,
                            .n_inner = 72};

// Makes an update and remembers how much the pool held.
struct Measure final : Trainer::Listener {
  void updated(const Update&) override { reserved = std::max(reserved, pool::usage().reserved); }
  Trainer::Next next(bool, int) override { return {.stop = left-- <= 0}; }
  int left = 1;
  std::size_t reserved = 0;
};

// On one thread: which thread makes its workspace for products at which step would be chance.
double taken_by(const Plan& plan) {
  const Corpus corpus(counting(3000, plan.vocab_size), 2700);
  pool::trim();
  const std::size_t before = pool::usage().reserved;
  Training training(plan, corpus);
  Measure measure;
  Trainer(training, corpus).run(measure);
  return double(measure.reserved - before);
}

Plan plan_of(const model::Config& config, Index batch_size) {
  Plan plan = sized(config);
  plan.batch_size = batch_size;
  plan.max_iters = plan.eval_interval = 100;
  return plan;
}

}  // namespace

TEST_CASE("training bytes: what the pool takes, for every architecture and optimizer") {
  const ScopedThreads one(1);
  struct Case {
    const char* what;
    model::Config config;
    Index batch_size, micro_batches = 1;
  };
  Case cases[] = {
      {"a small model", {.vocab_size = 65, .block_size = 64, .n_layer = 2, .n_embd = 64}, 8},
      {"many tokens", {.vocab_size = 65, .block_size = 32, .n_layer = 1, .n_embd = 48}, 32},
      {"a large vocabulary", {.vocab_size = 3000, .block_size = 64, .n_layer = 1, .n_embd = 32}, 8},
      {"a long context", {.vocab_size = 65, .block_size = 1000, .n_layer = 2, .n_embd = 40}, 1},
      {"mostly parameters, with biases",
       {.vocab_size = 300, .block_size = 32, .n_layer = 2, .n_embd = 128, .bias = true},
       2},
      {"sizes that do not follow from the channels", unusual, 12},
      {"micro-batches, with gradients that are added as a tree",
       {.vocab_size = 65, .block_size = 32, .n_layer = 2, .n_embd = 128},
       2,
       5}};
  (void)taken_by(plan_of(cases[0].config, 8));  // makes this thread's workspace for products
  for (const model::Family family : families)
    for (const OptimizerKind optimizer : {OptimizerKind::adamw, OptimizerKind::muon})
      for (const auto& [what, config, batch_size, micro_batches] : cases) {
        Plan plan = plan_of(config, batch_size);
        set_architecture(plan, family);
        plan.optimizer = optimizer;
        plan.gradient_accumulation_steps = micro_batches;
        const double taken = taken_by(plan), predicted = training_bytes(plan);
        INFO(what << ", " << engine::name_of(family) << ", " << engine::name_of(optimizer) << ": "
                  << predicted << " bytes predicted, " << taken << " taken");
        // What is left out: the tape's nodes, ids and targets, sums of each row.
        CHECK(std::abs(predicted - taken) < 0.04 * taken);
      }
}

TEST_CASE("forward bytes: what the pool takes for a loss, besides weights and logits") {
  const ScopedThreads one(1);
  struct Case {
    model::Config config;
    Index B, T;
  };
  Case cases[] = {{{.vocab_size = 65, .block_size = 64, .n_layer = 2, .n_embd = 64}, 8, 64},
                  {{.vocab_size = 3000, .block_size = 64, .n_layer = 1, .n_embd = 32}, 8, 64},
                  {{.vocab_size = 90, .block_size = 1500, .n_layer = 3, .n_embd = 40}, 1, 1500},
                  {unusual, 12, 48}};
  for (const model::Family family : families)
    for (auto& [config, B, T] : cases) {
      set_architecture(config, family);
      const model::GPT gpt(config);
      const model::TokenIds ids = counting(B * T + 1, config.vocab_size);
      (void)window_loss(gpt, ids, 0, 3, 1);  // makes this thread's workspace for products
      pool::trim();
      const std::size_t before = pool::usage().reserved;
      (void)window_loss(gpt, ids, 0, B * T + 1, B);
      const double taken = double(pool::usage().reserved - before),
                   logits =
                       pool::block_bytes(sizeof(engine::real) * double(B * T * config.vocab_size)),
                   predicted = forward_bytes(config, B, T) + logits;
      INFO(engine::name_of(family)
           << ", " << B << " x " << T << ", " << config.n_embd << " channels: " << predicted
           << " bytes predicted, " << taken << " taken");
      // Left out: arrays with one number for a token or a head.
      CHECK(std::abs(predicted - taken) < 0.04 * taken);
    }
}

TEST_CASE("training bytes: a sample packs the weights, beside which activations may be small") {
  Plan plan = plan_of({.vocab_size = 300, .block_size = 8, .n_layer = 2, .n_embd = 128}, 1);
  const auto weights = double(sizeof(engine::real)) * double(plan.parameter_count());
  const double without = training_bytes(plan);
  REQUIRE(activation_bytes(plan, 1, 8) < weights / 2);
  plan.sample_interval = 1;
  CHECK(training_bytes(plan) > without + weights / 2);
  // With more activations than weights a sample needs nothing more.
  plan.batch_size = 1000;
  const double many = training_bytes(plan);
  plan.sample_interval = 0;
  CHECK(training_bytes(plan) == many);
}

TEST_CASE("training bytes: an evaluation's last windows, which are smaller, leave nothing behind") {
  const ScopedThreads one(1);
  const model::GPT gpt({.vocab_size = 50, .block_size = 16, .n_layer = 1, .n_embd = 32});
  const model::TokenIds ids = counting(1000, 50);
  const auto kept_after = [&](Index windows, Index more) {
    pool::trim();
    const std::size_t before = pool::usage().reserved;
    (void)window_loss(gpt, ids, 0, 16 * windows + more + 1, 4);
    return pool::usage().reserved - before;
  };
  (void)kept_after(4, 0);       // makes this thread's workspace for products
  CHECK(kept_after(8, 0) > 0);  // two batches, of the size that training has as well
  CHECK(kept_after(9, 0) == 0);
  CHECK(kept_after(8, 5) == 0);
  CHECK(kept_after(1, 0) == 0);
}

TEST_CASE("training bytes: sizes beyond 63 bits are a number") {
  const Plan plan = plan_of({.vocab_size = 1 << 24,
                             .block_size = 1'048'576,
                             .n_layer = 1000,
                             .n_head = 65'536,
                             .n_embd = 65'536},
                            1'048'576);
  const double bytes = training_bytes(plan);
  CHECK(bytes > 0x1p70);
  CHECK(std::isfinite(bytes));
}
