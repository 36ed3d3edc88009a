// The learning rate at the edges of warm-up and decay, where nanoGPT's get_lr changes its rule.
#include "train/loop/schedule.h"

#include "tests/catch.h"

using engine::Index;
using train::Decay;
using train::Schedule;

namespace {

// From 1e-3 after the steps of the warm-up to the least rate at the end.
Schedule schedule(Index warmup, Index end, double least = 1e-4) {
  return {.learning_rate = 1e-3, .min_lr = least, .warmup_iters = warmup, .lr_decay_iters = end};
}

}  // namespace

TEST_CASE("schedule: the last steps of the warm-up and the first after it") {
  for (const Index warmup : {1, 2, 100}) {
    const Schedule s = schedule(warmup, 300);
    INFO("warm-up of " << warmup << " steps");
    const double n = static_cast<double>(warmup);
    CHECK(s.learning_rate_at(0) == Approx(1e-3 / (n + 1)).epsilon(1e-14));
    CHECK(s.learning_rate_at(warmup - 1) == Approx(1e-3 * n / (n + 1)).epsilon(1e-14));
    CHECK(s.learning_rate_at(warmup) == Approx(1e-3).epsilon(1e-14));
    CHECK(s.learning_rate_at(warmup + 1) < 1e-3);
  }
  const Schedule none = schedule(0, 10), long_one = schedule(10, 210);
  CHECK(none.learning_rate_at(0) == 1e-3);
  CHECK(none.learning_rate_at(5) == Approx(5.5e-4).epsilon(1e-14));  // half-way: the mean of both

  const double quarter = 0.85355339059327379;  // (1 + cos(pi / 4)) / 2
  CHECK(long_one.learning_rate_at(60) == Approx(1e-4 + 9e-4 * quarter).epsilon(1e-13));
  CHECK(long_one.learning_rate_at(160) == Approx(1e-4 + 9e-4 * (1 - quarter)).epsilon(1e-13));
}

TEST_CASE("schedule: min_lr from the end of the decay on, and not one step later") {
  for (const Index end : {4, 10, 2000}) {
    const Schedule s = schedule(2, end);
    INFO("decay until step " << end);
    CHECK(s.learning_rate_at(end - 1) > 1e-4 * (1 + 1e-7));  // 1 - cos(pi / 1998) is 1.2e-6 of 9e-4
    for (const Index beyond : {0, 1, 2, 3, 100}) {
      INFO("step " << end + beyond);
      CHECK(s.learning_rate_at(end + beyond) == 1e-4);
    }
  }
  // A decay that ends before the warm-up does: no cosine at all.
  const Schedule s = schedule(10, 5);
  CHECK(s.learning_rate_at(9) == Approx(1e-3 * 10 / 11).epsilon(1e-14));
  CHECK(s.learning_rate_at(10) == 1e-4);
}

TEST_CASE("schedule: a straight line from the warm-up to min_lr") {
  for (const double least : {1e-4, 0.0}) {
    Schedule s = schedule(10, 210, least);
    s.lr_schedule = Decay::linear;
    INFO("min_lr " << least);
    CHECK(s.learning_rate_at(4) == Approx(1e-3 * 5 / 11).epsilon(1e-14));
    CHECK(s.learning_rate_at(10) == Approx(1e-3).epsilon(1e-14));
    CHECK(s.learning_rate_at(60) == Approx(least + (1e-3 - least) * 0.75).epsilon(1e-13));
    CHECK(s.learning_rate_at(209) == Approx(least + (1e-3 - least) / 200).epsilon(1e-12));
    CHECK(s.learning_rate_at(210) == least);
    CHECK(s.learning_rate_at(5000) == least);
  }
}

TEST_CASE("schedule: without decay the rate is one") {
  const Schedule s{
      .learning_rate = 0.5, .warmup_iters = 10, .lr_decay_iters = 10, .decay_lr = false};
  for (const Index step : {0, 9, 10, 11, 5000}) CHECK(s.learning_rate_at(step) == 0.5);
  CHECK(Schedule{.warmup_iters = 10, .lr_decay_iters = 10}.learning_rate_at(10) < 1);  // not 0 / 0
}

TEST_CASE("schedule: where it has ended at 0 for good") {
  Schedule s = schedule(10, 50, 0);
  for (const Decay shape : {Decay::cosine, Decay::linear}) {
    s.lr_schedule = shape;
    for (const Index step : {0, 9, 10, 49, 50, 51, 1000}) {
      INFO(engine::name_of(shape) << ", step " << step);
      CHECK(s.has_ended_at_zero(step) == (step >= 50));
      CHECK(s.has_ended_at_zero(step) == (s.learning_rate_at(step) == 0));
    }
  }
  s.lr_decay_iters = 5;  // before the end of the warm-up, which goes on
  CHECK_FALSE(s.has_ended_at_zero(9));
  CHECK(s.has_ended_at_zero(10));
  s.decay_lr = false;
  CHECK_FALSE(s.has_ended_at_zero(1000));
  CHECK_FALSE(Schedule{.min_lr = 1e-9}.has_ended_at_zero(1'000'000));
}
