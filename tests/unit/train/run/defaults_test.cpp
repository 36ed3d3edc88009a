// The default numbers of a run, where their rows begin and end. They follow from measurements
// (tests/recipes/README.md): whoever changes one measures it, and changes the row here.
#include "train/run/defaults.h"

#include <iterator>
#include <tuple>

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

// The plan for these minutes at half of 235 GFLOP/s.
Plan plan_in(double minutes, Index tokens = 1'000'000) {
  return default_plan(tokens, 65, Recipe::best, minutes * 60 * 0.5 * 235e9);
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

TEST_CASE("default plan: a text of any size has that of the limit below it, for any time") {
  const Index limits[] = {0, 4'000, 20'000, 100'000, 500'000, 2'000'000, 1'000'000'000};
  for (const Recipe recipe : {Recipe::nanogpt, Recipe::best})
    for (double flops = 1e9; flops < 1e19; flops *= 1.5)
      for (std::size_t i = 0; i + 1 < std::size(limits); ++i) {
        INFO(flops << " operations, " << limits[i] << " characters");
        const auto of = [&](Index characters) {
          return sizes_of(default_plan(characters, 65, recipe, flops));
        };
        CHECK(of(limits[i]) == of(limits[i + 1] - 1));
      }
}

TEST_CASE("default plan: time beyond the usual goes into a larger model", "[plan]") {
  const Recipe recipe = GENERATE(Recipe::nanogpt, Recipe::best);
  CHECK(default_plan(1'000'000, 65, recipe, 100 * default_flops).n_embd >
        default_plan(1'000'000, 65, recipe).n_embd);
}

TEST_CASE("default plan: the best recipe, by the text's size", "[plan]") {
  for (const auto& [first, last, sizes] :
       {std::tuple<Index, Index, const char*>{0, 3'999, "16 2 2 32 8 300 0.006"},
        {4'000, 19'999, "32 3 3 48 16 500 0.006"},
        {20'000, 99'999, "128 4 3 96 8 800 0.006"},
        {100'000, 499'999, "128 4 4 128 8 1500 0.006"},
        {500'000, 1'999'999, "128 4 4 128 8 2400 0.005"}})
    for (const Index tokens : {first, last}) {
      INFO(tokens << " tokens");
      const Plan plan = default_plan(tokens, 65, Recipe::best);
      CHECK(sizes_of(plan) == sizes);
      check_settings(plan,
                     "vocab_size=65 optimizer=muon momentum=0.9 init_std=0.04 lr_schedule=linear "
                     "batches=shuffled qk_norm=true position=rope norm=rmsnorm activation=swiglu "
                     "beta1=0.9 beta2=0.999 weight_decay=0.1 grad_clip=1 "
                     "gradient_accumulation_steps=1");
    }
}

TEST_CASE("default plan: nanoGPT's recipe is GPT-2 by AdamW", "[plan]") {
  check_settings(default_plan(1'000'000, 65, Recipe::nanogpt),
                 "optimizer=adamw lr_schedule=cosine beta2=0.99 batches=random init_std=0.02 "
                 "position=learned norm=layernorm activation=gelu qk_norm=false n_embd=128 "
                 "max_iters=1500 learning_rate=0.002");
}

TEST_CASE("default plan: nanoGPT's recipe, by the text's size and the budget", "[plan]") {
  constexpr double all = 1e30;
  const std::tuple<double, Index, Index, const char*> rows[] = {
      {all, 0, 3'999, "16 2 2 32 8 300 0.003"},
      {all, 4'000, 19'999, "32 3 3 48 16 500 0.003"},
      {all, 20'000, 99'999, "64 4 4 96 16 1000 0.002"},
      {all, 100'000, 499'999, "64 4 4 128 16 2000 0.002"},
      {5e13, 500'000, 5'000'000, "128 4 4 128 16 1500 0.002"},
      {3e14, 500'000, 5'000'000, "128 6 6 192 16 3000 0.001"},
      {all, 500'000, 1'999'999, "256 6 6 384 16 4000 0.001"},
      {all, 2'000'000, 5'000'000, "256 8 8 512 16 5000 6e-04"}};
  for (const auto& [flops, first, last, sizes] : rows)
    for (const Index tokens : {first, last}) {
      INFO(flops << " operations, " << tokens << " tokens");
      CHECK(sizes_of(default_plan(tokens, 65, Recipe::nanogpt, flops)) == sizes);
    }
}

TEST_CASE("default plan: each model of --minutes, by value", "[plan]") {
  const std::tuple<double, Index, const char*> rows[] = {
      {0.1, 1'000'000, "32 3 3 48 16 500 0.006"},
      {0.3, 1'000'000, "128 4 4 64 4 1000 0.006"},
      {1, 1'000'000, "128 4 3 96 4 3000 0.006"},
      {0.5, 200'000, "64 4 3 96 8 1000 0.006"},
      {2.5, 1'000'000, "128 4 4 128 8 2400 0.005"},
      {3, 1'000'000, "128 4 4 128 8 2400 0.005"},
      {5, 1'000'000, "256 6 6 192 4 1500 0.005"},
      {10, 1'000'000, "256 6 6 192 4 1500 0.005"},
      {30, 1'000'000, "256 6 8 256 4 3000 0.004"},
      {40, 1'000'000, "256 6 12 384 4 3600 0.004"},
      {10'000, 2'000'000, "256 8 8 512 16 5000 0.003"},
      {10'000, 1'999'999, "256 6 12 384 4 3600 0.004"}};
  for (const auto& [minutes, tokens, sizes] : rows) {
    INFO(minutes << " minutes, " << tokens << " tokens");
    CHECK(sizes_of(plan_in(minutes, tokens)) == sizes);
  }
}

TEST_CASE("default plan: how often the text is read, times the weights for each token", "[plan]") {
  Plan plan;
  plan.batch_size = 10;
  plan.gradient_accumulation_steps = 2;
  plan.block_size = 50;
  plan.vocab_size = 65;
  const auto weights = static_cast<double>(plan.parameter_count());
  // 300 updates of 1,000 tokens read 100,000 tokens three times.
  CHECK(overfitting(plan, 300, 100'000) == Approx(3 * weights / 100'000));
  CHECK(overfitting(plan, 300, 1'000'000) == Approx(0.3 * weights / 1'000'000));
}

TEST_CASE("default plan: dropout against overfitting", "[plan]") {
  const std::pair<double, double> rows[] = {{0, 0},     {59.9, 0},    {60, 0.05},  {99.9, 0.05},
                                            {100, 0.1}, {149.9, 0.1}, {150, 0.15}, {249.9, 0.15},
                                            {250, 0.2}, {449.9, 0.2}, {450, 0.25}, {599.9, 0.25},
                                            {600, 0.3}, {1e5, 0.3}};
  for (const auto& [overfitting, dropout] : rows) {
    CAPTURE(overfitting);
    CHECK(dropout_for(overfitting) == dropout);
  }
}

TEST_CASE("default plan: Muon's weight decay by text, batch and learning rate", "[plan]") {
  Plan plan;
  plan.batch_size = 4;
  plan.gradient_accumulation_steps = 2;
  plan.block_size = 100;
  plan.learning_rate = 5e-3;
  // A reading of 400,000 tokens takes 500 updates; 1 / (5e-3 * 0.6) are 333.
  CHECK(weight_decay_for(plan, 400'000) == Approx(0.6));
  CHECK(weight_decay_for(plan, 800'000) == Approx(0.3));
  plan.learning_rate = 1e-2;
  CHECK(weight_decay_for(plan, 400'000) == Approx(0.3));
  CHECK(weight_decay_for(plan, 300'000'000) == 0.1);
  CHECK(weight_decay_for(plan, 1000) == 1);
  plan.learning_rate = 0;
  CHECK(weight_decay_for(plan, 400'000) == 1);
}

TEST_CASE("default plan: the learning rate of a given optimizer", "[plan]") {
  Plan plan;
  const std::pair<Index, double> rates[] = {{32, 3e-3},  {95, 3e-3},  {96, 2e-3}, {128, 2e-3},
                                            {129, 1e-3}, {384, 1e-3}, {385, 6e-4}};
  for (const auto& [n_embd, rate] : rates) {
    CAPTURE(n_embd);
    plan.n_embd = n_embd;
    plan.optimizer = OptimizerKind::adamw;
    CHECK(learning_rate_of(plan) == rate);
    plan.optimizer = OptimizerKind::muon;
    CHECK(learning_rate_of(plan) == 5e-3);
  }
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
  for (const auto& [block_size, batch_size] :
       {std::pair<Index, Index>{127, 16}, {128, 8}, {512, 8}, {513, 1}}) {
    CAPTURE(block_size);
    config.block_size = block_size;
    CHECK(tuned(102'400).batch_size == batch_size);
  }
  for (const auto& [n_embd, rate] : {std::pair<Index, double>{384, 1e-3}, {385, 6e-5}}) {
    config.n_embd = n_embd;
    CHECK(tuned(1000).learning_rate == rate);
  }
}
