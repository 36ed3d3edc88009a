#include "train/run/defaults.h"
#include "tests/catch.h"

using engine::Index;
using train::default_flops;
using train::default_plan;
using train::Plan;
using train::Recipe;

namespace {

double cost(const Plan& plan) { return plan.update_flops() * static_cast<double>(plan.max_iters); }

}  // namespace

TEST_CASE("default plan: every text and vocabulary gets a run of a minute or two", "[plan]") {
  const Recipe recipe = GENERATE(Recipe::nanogpt, Recipe::best);
  for (const Index tokens : {0, 1, 5'000, 50'000, 200'000, 1'000'000, 300'000'000})
    for (const Index vocabulary : {1, 65, 256, 2000, 50257}) {
      CAPTURE(tokens, vocabulary);
      CHECK(cost(default_plan(tokens, vocabulary, recipe)) <= default_flops);
    }
}

TEST_CASE("default plan: more text never gets a smaller model, more symbols never a larger",
          "[plan]") {
  const Recipe recipe = GENERATE(Recipe::nanogpt, Recipe::best);
  double last = 0;
  for (Index tokens = 100; tokens < 100'000'000; tokens *= 3) {
    CAPTURE(tokens);
    const double here = cost(default_plan(tokens, 65, recipe));
    CHECK(here >= last);
    CHECK(default_plan(tokens, 50257, recipe).n_embd <= default_plan(tokens, 65, recipe).n_embd);
    last = here;
  }
}

TEST_CASE("default plan: time beyond the usual goes into a larger model", "[plan]") {
  const Recipe recipe = GENERATE(Recipe::nanogpt, Recipe::best);
  CHECK(default_plan(1'000'000, 65, recipe, 100 * default_flops).n_embd >
        default_plan(1'000'000, 65, recipe).n_embd);
}
