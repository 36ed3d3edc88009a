// The lines of a run's progress, from updates that take times of their own.
#include "train/run/progress.h"

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/catch.h"
#include "tests/unit/train/run/heard.h"

using namespace train;
using namespace std::chrono_literals;

namespace {

std::string said;  // to standard error

void hear(int, const std::string& line) { said += line; }

Plan small_plan() {
  Plan plan;
  static_cast<model::Config&>(plan) = {
      .vocab_size = 5, .block_size = 10, .n_layer = 1, .n_head = 1, .n_embd = 8};
  plan.batch_size = 4;
  plan.gradient_accumulation_steps = 5;
  plan.max_iters = 1000;
  plan.eval_interval = 100;
  return plan;
}

}  // namespace

TEST_CASE(
    "progress: the speed is the mean of the updates but the first, without what is no update") {
  using Clock = std::chrono::steady_clock;
  const heard::Streams streams(hear);
  const Plan plan = small_plan();
  Clock::time_point before = Clock::now();
  Progress progress(plan, 1000, 1e9, RunningClock::now(), 0);
  Clock::time_point after = Clock::now();
  // The progress reads its clock between the two, so that a time is between two bounds.
  double least = 0, most = 0;
  const auto look = [&](const auto& call) {
    const Clock::time_point last_before = before, last_after = after;
    before = Clock::now();
    call();
    after = Clock::now();
    least = std::chrono::duration<double>(before - last_after).count();
    most = std::chrono::duration<double>(after - last_before).count();
  };
  double least_sum = 0, most_sum = 0, least_save = 0, most_save = 0;
  const std::chrono::milliseconds times[] = {40ms, 5ms, 20ms, 2ms, 30ms, 10ms};
  for (Index i = 0; i < 6; ++i) {
    if (i == 3) {
      std::this_thread::sleep_for(50ms);  // a save
      look([&] { progress.restart_clock(); });
      least_save = least, most_save = most;
    }
    std::this_thread::sleep_for(times[i]);
    look([&] { progress.updated({i, 2, 1, 0.5}); });
    if (i > 0) least_sum += least, most_sum += most;
    const auto count = static_cast<double>(std::max<Index>(i, 1));
    INFO("after " << i + 1 << " updates");
    CHECK(progress.speed().update >= (i == 0 ? least : least_sum / count) - 1e-12);
    CHECK(progress.speed().update <= (i == 0 ? most : most_sum / count) + 1e-12);
    CHECK(progress.updates() == i + 1);
  }
  // A save is no update's time, but takes as long again beside the next evaluation.
  CHECK(progress.speed().evaluation >= least_save);
  CHECK(progress.speed().evaluation <= most_save);
  look([&] { progress.evaluating(); });
  std::this_thread::sleep_for(20ms);
  look([&] { progress.evaluated(); });
  CHECK(progress.speed().evaluation >= least);
  CHECK(progress.speed().evaluation <= most);
  CHECK_THAT(said, Catch::StartsWith("iter 0: "));
  CHECK(said.find("iter", 1) == said.npos);
}

TEST_CASE(
    "progress: lines come at the multiples of their interval, with speed, share and time left") {
  const heard::Streams streams(hear);
  const Plan plan = small_plan();
  // It began ten minutes ago, and was to take one.
  Progress progress(plan, 3, 1e6, RunningClock::now() - 10min, 1);
  for (Index i = 0; i < 14; ++i) {
    std::this_thread::sleep_for(2ms);
    const std::string before = std::exchange(said, "");
    progress.updated({i, 0.5 * double(i), 1, 0.5});
    INFO("update " << i << ": " << said);
    REQUIRE(said.empty() == (i % 3 != 0));
    if (said.empty()) continue;
    const Speed speed = progress.speed();
    const double left = seconds_left(plan, i + 1, speed);
    // 20 sequences of 10 tokens. More than a thousandth of a GFLOP/s: no share.
    CHECK(said == joined("iter ", i, ": loss ", fixed_text(0.5 * double(i), 4), ", ",
                         count_text(static_cast<Index>(200 / speed.update)), " tokens/s, ",
                         duration_text(left), " left",
                         i < 4 ? "" : joined(", ", duration_text(540 + left), " over --minutes")));
  }
}
