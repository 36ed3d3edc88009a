#include "train/run/make_plan.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"

using namespace train;

namespace {

using Clock = std::chrono::steady_clock;

struct Measured {
  Index max_iters;
  double seconds;  // from when the program began to the end of the run, as it is foreseen
  std::vector<std::string> notes;
};

Plan small_plan() {
  return sized({.vocab_size = 10, .block_size = 8, .n_layer = 1, .n_head = 1, .n_embd = 8});
}

// The run that --minutes lead to, if the program has run for seconds_before before.
Measured choose(double minutes, int seconds_before) {
  Plan plan = small_plan();
  plan.batch_size = 2;
  const Corpus corpus(counting(200, 10), 180);
  Notes notes;
  const Clock::time_point began = Clock::now() - std::chrono::seconds(seconds_before);
  const Speed speed = choose_max_iters(
      {}, minutes, began, corpus,
      [&](const Plan& trial, double seconds) { return measure_speed(trial, corpus, seconds); },
      plan, notes);
  CHECK(plan.lr_decay_iters == plan.max_iters);
  const double spent = std::chrono::duration<double>(Clock::now() - began).count();
  return {plan.max_iters, spent + seconds_left(plan, 0, speed), notes.waiting()};
}

}  // namespace

TEST_CASE("make plan: --minutes count from when the program began") {
  // Of 2 seconds nearly all are left, for some ten thousand updates; or none.
  const Measured all = choose(2.0 / 60, 0), none = choose(2.0 / 60, 2);
  INFO(all.max_iters << " and " << none.max_iters << " updates");
  CHECK(all.max_iters > 100);
  CHECK(all.notes.empty());
  CHECK(none.max_iters == 10);
}

TEST_CASE("make plan: at a speed that is known, --minutes lead to the longest run that fits") {
  Plan plan = small_plan();
  plan.eval_tokens = 0;
  const Corpus corpus(model::TokenIds(10), 0);
  for (const double minutes : {0.01, 0.5, 1.0, 10.0, 100.0}) {
    INFO(minutes << " minutes");
    Notes notes;
    double measured_for = 0;
    const auto measure = [&](const Plan&, double seconds) {
      measured_for = seconds;
      return Speed{0.5, 0.25};
    };
    PlanRequest request;
    request.recipe = Recipe::nanogpt;  // evaluations do not depend on the text
    (void)choose_max_iters(request, minutes, Clock::now(), corpus, measure, plan, notes);
    CHECK(measured_for == Approx(std::clamp(3 * minutes, 0.1, 2.0)));
    // The program has run for less than a second.
    const double seconds = seconds_left(plan, 0, {0.5, 0.25});
    CHECK((plan.max_iters == 10 || seconds <= 60 * minutes));
    Plan longer = plan;
    longer.max_iters += 3;
    CHECK(seconds_left(longer, 0, {0.5, 0.25}) > 60 * minutes - 1);
    CHECK(notes.waiting().empty() == (seconds < 1.1 * 60 * minutes));
  }
}

TEST_CASE("make plan: a run that is measured fits its --minutes") {
  // Half a second is spent on the measurement. An update takes less than a millisecond.
  CHECK(choose(10.0 / 60, 0).seconds == Approx(10).margin(0.08));
}

TEST_CASE("make plan: --minutes that are over before the first update say what is needed") {
  const Measured late = choose(0.05, 100);
  CHECK(late.max_iters == 10);
  REQUIRE(late.notes.size() == 1);
  CHECK_THAT(late.notes[0],
             Catch::StartsWith("--minutes 0.05: too short for this text, the shortest useful run "
                               "takes about 1 min 4"));
}
