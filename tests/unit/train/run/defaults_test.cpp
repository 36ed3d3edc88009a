#include "train/run/defaults.h"
#include "tests/catch.h"

using engine::Index;
using train::default_flops;
using train::default_plan;
using train::Plan;

namespace {

double cost(const Plan& plan) { return plan.update_flops() * static_cast<double>(plan.max_iters); }

}  // namespace

TEST_CASE("default plan: every text and vocabulary gets a run of a minute or two", "[plan]") {
  for (const Index tokens : {0, 1, 5'000, 50'000, 200'000, 1'000'000, 300'000'000})
    for (const Index vocabulary : {1, 65, 256, 2000, 50257}) {
      CAPTURE(tokens, vocabulary);
      CHECK(cost(default_plan(tokens, vocabulary)) <= default_flops);
    }
}

TEST_CASE("default plan: more text never gets a smaller model, more symbols never a larger",
          "[plan]") {
  double last = 0;
  for (Index tokens = 100; tokens < 100'000'000; tokens *= 3) {
    CAPTURE(tokens);
    const double here = cost(default_plan(tokens, 65));
    CHECK(here >= last);
    CHECK(default_plan(tokens, 50257).n_embd <= default_plan(tokens, 65).n_embd);
    last = here;
  }
}

TEST_CASE("default plan: time beyond the usual goes into a larger model", "[plan]") {
  CHECK(default_plan(1'000'000, 65, 100 * default_flops).n_embd >
        default_plan(1'000'000, 65).n_embd);
}
