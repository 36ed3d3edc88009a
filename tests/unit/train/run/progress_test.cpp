// The lines of a run's progress, on a clock that the test moves.
#include "train/run/progress.h"

#include <algorithm>
#include <chrono>

#include "tests/catch.h"
#include "tests/unit/train/loop/settings.h"
#include "tests/unit/train/run/heard.h"

using namespace train;
using namespace std::chrono_literals;

namespace {

std::chrono::milliseconds time_of_day;
Progress::Clock::time_point now() { return Progress::Clock::time_point(time_of_day); }

std::string output;  // to standard error

void hear(int, const std::string& line) { output += line; }

Plan small_plan() {
  Plan plan = sized({.vocab_size = 5, .block_size = 10, .n_layer = 1, .n_head = 1, .n_embd = 8});
  plan.batch_size = 4;
  plan.gradient_accumulation_steps = 5;
  plan.max_iters = 1000;
  plan.eval_interval = 100;
  return plan;
}

}  // namespace

TEST_CASE("progress: the speed is the mean of the updates but the first, and of nothing else") {
  const heard::Streams streams(hear);
  const Plan plan = small_plan();
  Progress progress(plan, 1000, 1e9, now(), 0, now);
  const std::chrono::milliseconds times[] = {4000ms, 500ms, 2000ms, 250ms, 3000ms, 1000ms};
  double sum = 0;
  for (Index i = 0; i < 6; ++i) {
    const double seconds = std::chrono::duration<double>(times[i]).count();
    if (i == 3) {
      time_of_day += 7s;  // a save
      progress.restart_clock();
    }
    time_of_day += times[i];
    progress.updated({i, 2, 1, 0.5});
    if (i > 0) sum += seconds;
    INFO("after " << i + 1 << " updates");
    CHECK(progress.speed().update == Approx(i == 0 ? seconds : sum / double(i)).epsilon(1e-12));
    CHECK(progress.updates() == i + 1);
  }
  // Later the mean forgets: an update counts for a fiftieth at least.
  for (Index i = 6; i < 120; ++i) {
    const double before = progress.speed().update;
    time_of_day += std::chrono::milliseconds(100 + i);
    progress.updated({i, 2, 1, 0.5});
    const double seconds = 0.1 + 0.001 * double(i);
    INFO("after " << i + 1 << " updates");
    CHECK(progress.speed().update ==
          Approx(before + (seconds - before) / double(std::min<Index>(i, 50))).epsilon(1e-12));
  }
  // A pause counts as nothing.
  const double usual = progress.speed().update, spent = progress.spent();
  time_of_day += 100s;
  progress.updated({120, 2, 1, 0.5});
  CHECK(progress.speed().update == usual);
  CHECK(progress.spent() == Approx(spent));
  // Time outside of updates counts as the evaluation's: a save before the first evaluation, then
  // those after it.
  CHECK(progress.speed().evaluation == 7);
  progress.evaluating();
  time_of_day += 20s;
  progress.evaluated();
  CHECK(progress.speed().evaluation == 20);
  time_of_day += 3s;
  progress.restart_clock();
  CHECK(progress.speed().evaluation == 23);
  // Nor does a pause in a save, before an evaluation or in one: a minute and twice the last one's
  // 23 s may be the evaluation's own time.
  const double spent_before = progress.spent();
  time_of_day += 61s;
  progress.restart_clock();
  CHECK(progress.speed().evaluation == 23);
  time_of_day += 61s;
  progress.evaluating();
  time_of_day += 107s;
  progress.evaluated();
  CHECK(progress.speed().evaluation == 23);
  CHECK(progress.spent() == Approx(spent_before));
  CHECK_THAT(output, Catch::Contains("a pause of 1 min 40 s is not counted") &&
                         Catch::EndsWith("a pause of 1 min 47 s is not counted"));
  progress.evaluating();
  time_of_day += 106s;
  progress.evaluated();
  CHECK(progress.speed().evaluation == 106);
  CHECK(progress.spent() == Approx(spent_before + 106));
  CHECK_THAT(output, Catch::StartsWith("iter 0: "));
  CHECK(output.find("iter", 1) == output.npos);
}

TEST_CASE(
    "progress: lines come at the multiples of their interval, with speed, share and time left") {
  const heard::Streams streams(hear);
  const Plan plan = small_plan();
  // It began ten minutes ago, and was to take one.
  Progress progress(plan, 3, 1e3, now() - 10min, 1, now);
  for (Index i = 0; i < 14; ++i) {
    time_of_day += 2s;
    const std::string before = std::exchange(output, "");
    progress.updated({i, 0.5 * double(i), 1, 0.5});
    INFO("update " << i << ": " << output);
    REQUIRE(output.empty() == (i % 3 != 0));
    if (output.empty()) continue;
    const Speed speed = progress.speed();
    const double left = seconds_left(plan, i + 1, speed);
    // 20 sequences of 10 tokens. More than a thousandth of a GFLOP/s: no share.
    CHECK(output == joined("iter ", i, ": loss ", fixed_text(0.5 * double(i), 4), ", ",
                           count_text(static_cast<Index>(200 / speed.update)), " tokens/s, ",
                           duration_text(left), " left",
                           i < 4 ? ""
                                 : joined(", ", duration_text(540 + 2 * double(i + 1) + left),
                                          " over --minutes")));
  }
}
