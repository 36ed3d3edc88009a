// Each setting of a plan, changed alone, changes its own effects and no others.
#include <algorithm>

#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "train/loop/trainer.h"

using namespace train;

namespace {

// What a short training does.
struct Course final : Trainer::Listener {
  void evaluated(const Evaluation& e) override {
    evaluations.insert(evaluations.end(), {double(e.step), e.train_loss, e.val_loss});
  }
  void updated(const Update& u) override {
    losses.push_back(u.loss);
    rates.push_back(u.learning_rate);
  }
  bool between_steps(bool) override { return true; }
  std::vector<std::int64_t> batch;       // the first
  std::vector<engine::real> begin, end;  // weights
  std::vector<double> losses, rates, evaluations;
};

Course course_of(const Plan& plan) {
  const Corpus corpus(counting(500, 7), 380);
  Training training(plan, corpus);
  const auto weights = [&] {
    const engine::real* const values = training.parameters.values();
    return std::vector<engine::real>(values, values + training.parameters.size());
  };
  Course course;
  course.batch = training.next_batch;
  course.begin = weights();
  Trainer(training, corpus).run(course);
  course.end = weights();
  return course;
}

// The letters of what differs: w weights at the beginning, b the first batch (it is drawn after the
// weights, so their number matters), l the first loss, r rates, u the weights in the end, e
// evaluations.
std::string difference(const Course& a, const Course& b) {
  std::string letters;
  const auto add = [&](bool differs, char letter) {
    if (differs) letters += letter;
  };
  add(a.begin != b.begin, 'w');
  add(a.batch != b.batch, 'b');
  add(a.losses[0] != b.losses[0], 'l');
  add(a.rates != b.rates, 'r');
  add(a.end != b.end, 'u');
  add(a.evaluations != b.evaluations, 'e');
  return letters;
}

Plan usual() {
  Plan plan = sized(
      {.vocab_size = 11, .block_size = 6, .n_layer = 2, .n_head = 2, .n_embd = 8, .dropout = 0.1},
      {.learning_rate = 0.02, .min_lr = 0.001, .warmup_iters = 2, .lr_decay_iters = 6});
  plan.position = nn::PositionKind::rope;
  plan.batch_size = 3;
  plan.optimizer = OptimizerKind::muon;
  plan.grad_clip = 0.01;
  plan.max_iters = 8;
  plan.eval_interval = 4;
  plan.eval_tokens = 30;
  plan.sample_interval = 1;
  return plan;
}

struct Effect {
  std::string_view setting, value, letters;
};
// dtype is that of all products: use_dtype. eval_iters draws from the generator of the batches.
constexpr Effect effects[] = {{"seed", "1", "wblue"},
                              {"dtype", "bfloat16", ""},
                              {"val_fraction", "0.3", ""},
                              {"max_iters", "9", "rue"},
                              {"batch_size", "4", "blue"},
                              {"gradient_accumulation_steps", "2", "lue"},
                              {"batches", "shuffled", "blue"},
                              {"init_std", "0.03", "wlue"},
                              {"optimizer", "adamw", "ue"},
                              {"momentum", "0.8", "ue"},
                              {"weight_decay", "0.3", "ue"},
                              {"beta1", "0.8", "ue"},
                              {"beta2", "0.9", "ue"},
                              {"grad_clip", "0", "ue"},
                              {"learning_rate", "0.03", "rue"},
                              {"warmup_iters", "3", "rue"},
                              {"decay_lr", "false", "rue"},
                              {"lr_schedule", "linear", "rue"},
                              {"lr_decay_iters", "7", "rue"},
                              {"min_lr", "0.002", "rue"},
                              {"eval_interval", "3", "e"},
                              {"eval_iters", "1", "ue"},
                              {"eval_tokens", "36", "e"},
                              {"save_interval", "1", ""},
                              {"sample_interval", "2", ""},
                              {"vocab_size", "12", "wblue"},
                              {"n_layer", "3", "wblue"},
                              {"n_head", "1", "lue"},
                              {"n_embd", "12", "wblue"},
                              {"block_size", "5", "blue"},
                              {"dropout", "0.2", "lue"},
                              {"bias", "true", "wblue"},
                              {"activation", "relu", "lue"},
                              {"position", "learned", "wblue"},
                              {"norm", "rmsnorm", "lue"},
                              {"qk_norm", "true", "wlue"},
                              {"n_kv_head", "1", "wblue"},
                              {"tie_weights", "false", "wblue"},
                              {"head_dim", "6", "wblue"},
                              {"n_inner", "20", "wblue"},
                              {"norm_eps", "0.01", "lue"},
                              {"rope_theta", "100", "lue"},
                              {"attention_scale", "none", "lue"},
                              {"causal", "false", "lue"}};

}  // namespace

TEST_CASE("plan: each setting, changed alone, changes what it is about, and nothing else") {
  const Course as_usual = course_of(usual());
  REQUIRE(difference(as_usual, course_of(usual())) == "");
  std::size_t tried = 0;
  const auto vary = [&](const auto& setting) {
    INFO(setting.name);
    const auto effect = std::ranges::find(effects, setting.name, &Effect::setting);
    REQUIRE(effect != std::end(effects));
    Plan plan = usual();
    REQUIRE(setting.get(plan) != effect->value);
    setting.set(plan, effect->value, setting.name);
    CHECK(difference(as_usual, course_of(plan)) == effect->letters);
    ++tried;
  };
  for (const PlanSetting& setting : plan_settings) vary(setting);
  for (const model::Setting<model::Config>& setting : model::config_settings) vary(setting);
  CHECK(tried == std::size(effects));
}
