// What must hold of a GPT as a whole: what it may see, where its loss starts, and that training it
// gives the same bits every time, on any number of threads.

#include "model/gpt/gpt.h"

#include <pthread.h>

#include <cmath>
#include <limits>

#include "engine/tape.h"
#include "nn/adamw.h"
#include "tests/catch.h"
#include "tests/unit/engine/scoped_threads.h"
#include "tests/unit/model/models.h"

using namespace engine;
using model::Config;
using model::GPT;
using models::Ids;
using models::initialized;
using models::random_ids;
using models::same_bits;

namespace {

Config small(double dropout = 0) {
  return models::sized(23, 70, 2, 3, 24, {.dropout = dropout, .bias = true});
}

}  // namespace

TEST_CASE("gpt: a token leaves every logit before it as it was, to the bit; if not causal, none") {
  const bool causal = GENERATE(true, false);
  Config config = small();
  config.causal = causal;
  const GPT gpt = initialized(config);
  const auto V = static_cast<std::size_t>(config.vocab_size);
  for (const Index T : {Index(1), Index(9), Index(64), Index(70)}) {  // 64: one block of queries
    const Ids ids = random_ids(2 * T, config.vocab_size, 1);
    const Tensor before = gpt.logits(ids, 2, T);
    for (Index t = 0; t < T; t += 1 + T / 9) {
      Ids changed = ids;
      std::int32_t& token = changed[static_cast<std::size_t>(T + t)];  // in the second sequence
      token = static_cast<std::int32_t>((token + 1) % config.vocab_size);
      const Tensor after = gpt.logits(changed, 2, T);
      for (Index row = 0; row < 2 * T; ++row) {
        INFO("T " << T << ", token " << t << ", row " << row);
        const auto at = static_cast<std::size_t>(row) * V;
        CHECK(same_bits(before.values().subspan(at, V), after.values().subspan(at, V)) ==
              (row < T || (causal && row < T + t)));
      }
    }
  }
}

TEST_CASE("gpt: a sequence does not see the others of its batch, nor what lies beyond its end") {
  const GPT gpt = initialized(small());
  const Ids ids = random_ids(3 * 20, 23, 2);
  const Tensor batch = gpt.logits(ids, 3, 20);
  for (const Index T : {Index(20), Index(7), Index(1)})
    for (Index b = 0; b < 3; ++b) {
      const Tensor alone = gpt.logits(
          std::span(ids).subspan(static_cast<std::size_t>(b * 20), static_cast<std::size_t>(T)), 1,
          T);
      const auto from = static_cast<std::size_t>(b * 20 * 23);
      CHECK(same_bits(batch.values().subspan(from, static_cast<std::size_t>(T * 23)),
                      alone.values()));
    }
}

TEST_CASE("gpt: the first loss is that of a guess among V symbols") {
  for (const Index V : {Index(2), Index(65), Index(1000)}) {
    const GPT gpt = initialized({.vocab_size = V, .block_size = 32, .n_layer = 3, .n_embd = 64});
    const double loss =
        double(gpt.loss(random_ids(8 * 32, V, 3), random_ids(8 * 32, V, 4), 8, 32).item());
    INFO("V " << V);
    // Logits are sums of 64 products of 1 and N(0, 0.02): their deviation s is 0.16, and the mean
    // of ln sum exp - x_t is ln V + s^2 / 2; the mean of 256 targets' logits errs by s / 16.
    CHECK(std::abs(loss - std::log(double(V)) - 0.0128) < 0.04);
  }
}

namespace {

// `steps` updates on one batch; returns the losses, the last weights in `flat`.
std::vector<real> train_on_one_batch(GPT& gpt, int steps, double lr, Index B, Index T) {
  const Ids ids = random_ids(B * T, gpt.config.vocab_size, 5),
            targets = random_ids(B * T, gpt.config.vocab_size, 6);
  const nn::FlatParameters flat(gpt);
  nn::AdamW optimizer(nn::decay_matrices(nn::tensors(gpt)), {.weight_decay = 0});
  Generator dropout(7);
  std::vector<real> losses;
  for (int step = 0; step < steps; ++step) {
    Tape tape;
    const Tensor loss = gpt.loss(ids, targets, B, T, &dropout);
    tape.backward(loss);
    losses.push_back(loss.item());
    optimizer.step(lr);
  }
  return losses;
}

std::vector<real> weights_of(GPT& gpt) {
  std::vector<real> all;
  for (const Tensor& t : nn::tensors(gpt))
    all.insert(all.end(), t.values().begin(), t.values().end());
  return all;
}

}  // namespace

TEST_CASE("gpt: training gives the same bits on 1, 2, 3 and 8 threads, and every time") {
  std::vector<real> losses, weights;
  for (const int threads : {1, 2, 3, 8, 2}) {
    const ScopedThreads scoped(threads);
    GPT gpt = initialized(small(0.2));
    const std::vector<real> these = train_on_one_batch(gpt, 20, 1e-3, 5, 70);
    INFO(threads << " threads");
    if (losses.empty()) losses = these, weights = weights_of(gpt);
    CHECK(same_bits(losses, these));
    CHECK(same_bits(weights, weights_of(gpt)));
    CHECK(losses.back() < losses.front());
  }
}

// That they are, to a shorter context too: export.t, init_from.
TEST_CASE("gpt: weights are not copied to a model of other sizes") {
  GPT gpt = initialized(small());
  for (Index Config::*const size :
       {&Config::block_size, &Config::n_layer, &Config::vocab_size, &Config::n_inner}) {
    Config config = small();
    config.*size += 1;
    GPT other(config);
    CHECK_THROWS_WITH(copy_weights(gpt, other), Catch::Contains("cannot be copied to"));
  }
}

namespace {

// A million negations, forward and backward; null if the gradient is right.
void* long_chain(void*) {
  const char* wrong = nullptr;
  {
    Tensor x = Tensor::of({1}, {3});
    x.require_gradient();
    Tape tape;
    Tensor y = x;
    for (int i = 0; i < 1000001; ++i) y = -y;
    if (tape.size() != 1000001) wrong = "not everything was recorded";
    tape.backward(y);
    if (x.gradient().value().item() != -1) wrong = "the gradient is not -1";
    // And freed without having run.
    for (int i = 0; i < 1000000; ++i) y = -y;
  }
  pool::trim();
  return const_cast<char*>(wrong);
}

}  // namespace

TEST_CASE("tape: a chain of a million ops needs no more than 256 KiB of stack") {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
  pthread_t thread;
  REQUIRE(pthread_create(&thread, &attributes, long_chain, nullptr) == 0);
  void* wrong = nullptr;
  pthread_join(thread, &wrong);
  pthread_attr_destroy(&attributes);
  INFO((wrong ? static_cast<const char*>(wrong) : ""));
  CHECK(wrong == nullptr);
}
