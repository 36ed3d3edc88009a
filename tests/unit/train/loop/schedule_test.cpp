// The learning rate of every step beside nanoGPT's get_lr.
#include "train/loop/schedule.h"

#include <cmath>
#include <numbers>

#include "tests/catch.h"

using engine::Index;
using train::Decay;
using train::Schedule;

namespace {

// From 1e-3 after the steps of the warm-up to the least rate at the end.
Schedule schedule(Index warmup, Index end, double least = 1e-4) {
  return {.learning_rate = 1e-3, .min_lr = least, .warmup_iters = warmup, .lr_decay_iters = end};
}

double get_lr(const Schedule& s, Index it) {
  if (it < s.warmup_iters) return s.learning_rate * double(it + 1) / double(s.warmup_iters + 1);
  if (it > s.lr_decay_iters) return s.min_lr;
  const double ratio = double(it - s.warmup_iters) / double(s.lr_decay_iters - s.warmup_iters),
               coeff = s.lr_schedule == Decay::linear
                           ? 1 - ratio
                           : 0.5 * (1 + std::cos(std::numbers::pi * ratio));
  return s.min_lr + coeff * (s.learning_rate - s.min_lr);
}

}  // namespace

TEST_CASE("schedule: each step has the rate of get_lr, or a line's in place of the cosine") {
  for (const Decay shape : {Decay::cosine, Decay::linear})
    for (const double least : {1e-4, 0.0})
      for (const auto& [warmup, end] :
           {std::pair<Index, Index>{0, 10}, {1, 4}, {2, 2000}, {100, 300}, {10, 5}}) {
        Schedule s = schedule(warmup, end, least);
        s.lr_schedule = shape;
        INFO(engine::name_of(shape) << ", " << warmup << " of " << end << " steps, " << least);
        for (Index step = 0; step < end + 100; ++step)
          REQUIRE(s.learning_rate_at(step) == Approx(get_lr(s, step)).epsilon(1e-13));
        for (Index step = std::max(warmup, end); step < end + 100; ++step)
          REQUIRE(s.learning_rate_at(step) == least);
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
