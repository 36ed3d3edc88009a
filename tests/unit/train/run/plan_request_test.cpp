// The plan of a new run, and of fine-tuning a model: what may be given, setting by setting.
#include "tests/catch.h"
#include "tests/unit/train/run/other_value.h"
#include "train/run/make_plan.h"

using namespace train;

namespace {

const model::Config config{
    .vocab_size = 65, .block_size = 64, .n_layer = 3, .n_head = 4, .n_embd = 64};

Plan plan_of(const PlanRequest& request, bool knows_text = false) {
  return make_fine_tuning_plan(request, 102'400, config, knows_text, "base");
}

PlanRequest tuning() {
  PlanRequest request;
  request.recipe = Recipe::fine_tuning;
  static_cast<model::Config&>(request.values) = config;
  return request;
}

template <auto member>
PlanRequest tuning_with(const auto& value) {
  PlanRequest request = tuning();
  request.given.add(model::key_of<member>);
  request.values.*member = value;
  return request;
}

}  // namespace

TEST_CASE("fine-tuning: a setting of the model may be given, but not changed") {
  for (const model::Setting<model::Config>& setting : model::config_settings) {
    INFO(setting.name);
    PlanRequest request = tuning();
    request.given.add(setting.key);
    CHECK(setting.get(plan_of(request)) == setting.get(config));
    const std::string other =
        setting.name == "block_size" ? "65" : other_value(setting, request.values);
    setting.set(request.values, other, setting.name);
    if (setting.name == "dropout")
      CHECK(setting.get(plan_of(request)) == other);
    else if (setting.name == "block_size")
      CHECK_THROWS_WITH(plan_of(request),
                        "--block_size: 65, but base has a context of 64 tokens at most");
    else
      CHECK_THROWS_WITH(plan_of(request), joined("--", setting.name, ": ", other, ", but base has ",
                                                 setting.get(config)));
  }
  CHECK(plan_of(tuning_with<&Plan::block_size>(63)).block_size == 63);
}

TEST_CASE("fine-tuning: a setting of the plan is the given one, else the recipe's") {
  const Plan usual = plan_of(tuning());
  for (const PlanSetting& setting : plan_settings) {
    INFO(setting.name);
    PlanRequest request = tuning();
    setting.copy(usual, request.values);
    const std::string other = other_value(setting, usual);
    setting.set(request.values, other, setting.name);
    request.given.add(setting.key);
    const Plan plan = plan_of(request);
    CHECK(setting.get(plan) == other);
    for (const PlanSetting& second : plan_settings)
      if (second.name != setting.name && second.name != "learning_rate" && second.name != "beta2" &&
          second.name != "min_lr") {
        INFO(second.name << " beside it");
        // The precision of products is the resolved one, given or not.
        CHECK((second.get(plan) == second.get(usual) || second.name == "dtype"));
      }
  }
}

TEST_CASE("make_plan: each setting of a new run can be given, in every recipe") {
  for (const Recipe recipe : {Recipe::best, Recipe::nanogpt}) {
    PlanRequest request;
    request.recipe = recipe;
    const Plan usual = make_plan(request, 200'000, 65);
    CHECK(usual.vocab_size == 65);
    const auto ask = [&](const auto& setting) {
      INFO(setting.name);
      PlanRequest changed = request;
      const std::string other = other_value(setting, usual);
      setting.set(changed.values, other, setting.name);
      changed.given.add(setting.key);
      CHECK(setting.get(make_plan(changed, 200'000, 65)) == other);
    };
    for (const PlanSetting& setting : plan_settings) ask(setting);
    for (const model::Setting<model::Config>& setting : model::config_settings)
      if (setting.name != "vocab_size") ask(setting);
  }
}
