// The plan of a new run, or for going on with a model: what may be asked of it, setting by setting.
#include "engine/base/check.h"
#include "tests/catch.h"
#include "tests/unit/train/run/other_value.h"
#include "train/run/make_plan.h"

using namespace train;

namespace {

const model::Config config{
    .vocab_size = 65, .block_size = 64, .n_layer = 3, .n_head = 4, .n_embd = 64};

Plan plan_of(const PlanWish& wish, bool knows_text = false) {
  return make_fine_tuning_plan(wish, 102'400, config, knows_text, "base");
}

PlanWish tuning() {
  PlanWish wish;
  wish.recipe = Recipe::fine_tuning;
  static_cast<model::Config&>(wish.values) = config;
  return wish;
}

}  // namespace

TEST_CASE("fine-tuning: a setting of the model is its own, and may be said but not changed") {
  for (const model::Setting<model::Config>& setting : model::config_settings) {
    INFO(setting.name);
    PlanWish wish = tuning();
    wish.given.add(setting.key);
    CHECK(setting.get(plan_of(wish)) == setting.get(config));
    const std::string other =
        setting.name == "block_size" ? "65" : other_value(setting, wish.values);
    setting.set(wish.values, other, setting.name);
    if (setting.name == "dropout")
      CHECK(setting.get(plan_of(wish)) == other);
    else if (setting.name == "block_size")
      CHECK_THROWS_WITH(plan_of(wish),
                        "--block_size: 65, but base has a context of 64 tokens at most");
    else
      CHECK_THROWS_WITH(plan_of(wish), joined("--", setting.name, ": ", other, ", but base has ",
                                              setting.get(config)));
  }
  PlanWish wish = tuning();
  wish.given.add(model::key_of<&Plan::block_size>);
  wish.values.block_size = 63;
  CHECK(plan_of(wish).block_size == 63);
}

TEST_CASE("fine-tuning: a setting of the plan is what is asked for, else the recipe's") {
  const Plan usual = plan_of(tuning());
  for (const PlanSetting& setting : plan_settings) {
    INFO(setting.name);
    PlanWish wish = tuning();
    setting.copy(usual, wish.values);
    const std::string other = other_value(setting, usual);
    setting.set(wish.values, other, setting.name);
    wish.given.add(setting.key);
    const Plan plan = plan_of(wish);
    CHECK(setting.get(plan) == other);
    for (const PlanSetting& second : plan_settings)
      if (second.name != setting.name && second.name != "learning_rate" && second.name != "beta2" &&
          second.name != "min_lr") {
        INFO(second.name << " beside it");
        // The precision of products is what the machine settled on, asked for or not.
        CHECK((second.get(plan) == second.get(usual) || second.name == "dtype"));
      }
  }
}

TEST_CASE("fine-tuning: the rate is a quarter on a text that the model knows, unless it is given") {
  const double rate = plan_of(tuning()).learning_rate;
  CHECK(plan_of(tuning(), true).learning_rate == rate / 4);
  PlanWish given = tuning();
  given.given.add(model::key_of<&Plan::learning_rate>);
  given.values.learning_rate = rate;
  CHECK(plan_of(given, true).learning_rate == rate);
  PlanWish nanogpt = tuning();
  nanogpt.recipe = Recipe::nanogpt;
  CHECK(plan_of(nanogpt, true).learning_rate == plan_of(nanogpt).learning_rate);
  CHECK(plan_of(nanogpt).min_lr == plan_of(nanogpt).learning_rate / 10);
  CHECK(plan_of(tuning()).min_lr == 0);
  PlanWish muon = tuning();
  muon.given.add(model::key_of<&Plan::optimizer>);
  muon.values.optimizer = OptimizerKind::muon;
  CHECK(plan_of(muon).learning_rate == 5e-3);
  PlanWish several = tuning();
  several.processes = 4;
  CHECK(plan_of(several).gradient_accumulation_steps == 4);
  CHECK(plan_of(several).batch_size == plan_of(tuning()).batch_size / 4);
}

TEST_CASE("make_plan: each setting of a new run is what is asked for, in every recipe") {
  for (const Recipe recipe : {Recipe::best, Recipe::nanogpt}) {
    PlanWish wish;
    wish.recipe = recipe;
    const Plan usual = make_plan(wish, 200'000, 65);
    CHECK(usual.vocab_size == 65);
    const auto ask = [&](const auto& setting) {
      INFO(setting.name);
      PlanWish asked = wish;
      const std::string other = other_value(setting, usual);
      setting.set(asked.values, other, setting.name);
      asked.given.add(setting.key);
      CHECK(setting.get(make_plan(asked, 200'000, 65)) == other);
    };
    for (const PlanSetting& setting : plan_settings) ask(setting);
    for (const model::Setting<model::Config>& setting : model::config_settings)
      if (setting.name != "vocab_size") ask(setting);
  }
}
