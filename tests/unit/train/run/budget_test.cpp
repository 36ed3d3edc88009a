#include "train/run/budget.h"

#include "tests/catch.h"

using namespace train;

TEST_CASE("budget: the time left is that of the updates and of the evaluations to come") {
  Plan plan;
  plan.max_iters = 100;
  plan.eval_interval = 25;
  const Speed speed{1, 1000};
  CHECK(seconds_left(plan, 0, speed) == 5100);  // evaluations at 0, 25, 50, 75, 100
  CHECK(seconds_left(plan, 1, speed) == 4099);
  CHECK(seconds_left(plan, 25, speed) == 4075);  // that of step 25 is still to be made
  CHECK(seconds_left(plan, 26, speed) == 3074);
  CHECK(seconds_left(plan, 100, speed) == 1000);
  plan.max_iters = 90;
  CHECK(seconds_left(plan, 76, speed) == 1014);  // the one at the end, off the grid
  CHECK(seconds_left(plan, 75, speed) == 2015);
}

TEST_CASE("budget: --minutes leaves time for evaluations, and for ten updates in any case") {
  CHECK(updates_in(100, 9, {0.5, 1}) == 182);
  CHECK(updates_in(100, 4, {0.5, 1}) == 192);
  CHECK(updates_in(1, 9, {0.5, 1}) == 10);
  CHECK(updates_in(1e6, 9, {1e-9, 0}) == 1'000'000'000);
}
