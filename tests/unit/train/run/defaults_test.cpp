// What holds of the default numbers of a run, whatever they are. They follow from measurements
// (tests/recipes/README.md): whoever changes one measures it.
#include "train/run/defaults.h"

#include <iterator>
#include <map>
#include <set>

#include "tests/catch.h"
#include "tests/unit/train/loop/settings.h"

using namespace train;

namespace {

double cost(const Plan& plan) { return plan.update_flops() * static_cast<double>(plan.max_iters); }

std::string sizes_of(const Plan& plan) {
  std::string sizes;
  for (const char* const name :
       {"block_size", "n_layer", "n_head", "n_embd", "batch_size", "max_iters", "learning_rate"})
    sizes += (sizes.empty() ? "" : " ") + value_of(name, plan);
  return sizes;
}

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

TEST_CASE("default plan: more time never gives less, and the sizes fit each other", "[plan]") {
  const Recipe recipe = GENERATE(Recipe::nanogpt, Recipe::best);
  const Index texts[] = {0, 4'000, 20'000, 100'000, 500'000, 2'000'000};
  std::map<Index, std::set<double>> rates;  // by channels
  for (double flops = 1e10; flops < 1e19; flops *= 1.3) {
    for (const Index text : texts) {
      INFO(flops << " operations, " << text << " characters");
      const Plan plan = default_plan(text, 65, recipe, flops);
      CHECK((cost(plan) <= flops || sizes_of(plan) == sizes_of(default_plan(0, 65, recipe))));
      CHECK(cost(plan) >= cost(default_plan(text, 65, recipe, flops / 1.3)));
      CHECK(plan.n_embd % plan.n_head == 0);
      CHECK(plan.n_embd / plan.n_head >= 16);
      CHECK(plan.qk_norm == (recipe == Recipe::best));
      rates[plan.n_embd].insert(plan.learning_rate);
      if (recipe == Recipe::nanogpt) CHECK(plan.learning_rate == learning_rate_of(plan));
    }
  }
  CHECK(rates.size() > 5);
  for (auto larger = std::next(rates.begin()); larger != rates.end(); ++larger) {
    INFO(larger->first << " channels");
    CHECK(*larger->second.rbegin() <= *std::prev(larger)->second.begin());
  }
}

TEST_CASE("default plan: dropout against overfitting", "[plan]") {
  CHECK(dropout_for(0) == 0);
  CHECK(dropout_for(1e5) > 0);
  CHECK(dropout_for(1e5) < 0.5);
  for (double overfitting = 0; overfitting < 2000; ++overfitting)
    CHECK(dropout_for(overfitting) <= dropout_for(overfitting + 1));
}

TEST_CASE("fine-tuning plan: three times through the text, within the budget", "[plan]") {
  model::Config config{.vocab_size = 65, .block_size = 64, .n_layer = 2, .n_head = 2, .n_embd = 64};
  const auto tuned = [&](Index tokens, Recipe recipe = Recipe::fine_tuning,
                         double flops = default_flops) {
    return fine_tuning_plan(config, tokens, recipe, flops);
  };
  const Plan plan = tuned(102'400);
  // 300: 3 x 102,400 / (16 x 64)
  check_settings(plan,
                 "n_embd=64 dropout=0 optimizer=adamw lr_schedule=linear batches=shuffled "
                 "batch_size=16 max_iters=300 learning_rate=0.003");
  CHECK(tuned(100).max_iters == 20);
  CHECK(tuned(102'400, Recipe::fine_tuning, 50 * plan.update_flops()).max_iters == 50);
  CHECK(tuned(102'400, Recipe::nanogpt).lr_schedule == Decay::cosine);
  // A longer context has fewer sequences, and a large model a rate that forgets less.
  for (Index batch_size = 16; config.block_size < 2048; config.block_size *= 2) {
    CHECK(tuned(102'400).batch_size <= batch_size);
    batch_size = tuned(102'400).batch_size;
  }
  CHECK(tuned(102'400).batch_size == 1);
  config.n_embd = 768;
  CHECK(tuned(1000).learning_rate < learning_rate_of(tuned(1000)) / 2);
}
