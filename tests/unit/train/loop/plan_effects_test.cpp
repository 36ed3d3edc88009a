// Each setting of a plan, changed alone, changes its own effects and no others.
#include <map>
#include <sstream>

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
  std::string value, letters;
};
// By setting. dtype is that of all products: use_dtype. eval_iters draws from the batches' generator.
std::map<std::string, Effect, std::less<>> effects() {
  std::map<std::string, Effect, std::less<>> by_setting;
  for (const auto& [letters, settings] : std::initializer_list<std::pair<const char*, const char*>>{
           {"wblue",
            "seed=1 vocab_size=12 n_layer=3 n_embd=12 bias=true position=learned n_kv_head=1 "
            "tie_weights=false head_dim=6 n_inner=20"},
           {"", "dtype=bfloat16 val_fraction=0.3 save_interval=1 sample_interval=2"},
           {"rue",
            "max_iters=9 learning_rate=0.03 warmup_iters=3 decay_lr=false lr_schedule=linear "
            "lr_decay_iters=7 min_lr=0.002"},
           {"blue", "batch_size=4 batches=shuffled block_size=5"},
           {"lue",
            "gradient_accumulation_steps=2 n_head=1 dropout=0.2 activation=relu norm=rmsnorm "
            "norm_eps=0.01 rope_theta=100 attention_scale=none causal=false"},
           {"wlue", "init_std=0.03 qk_norm=true"},
           {"ue",
            "optimizer=adamw momentum=0.8 weight_decay=0.3 beta1=0.8 beta2=0.9 grad_clip=0 "
            "eval_iters=1"},
           {"e", "eval_interval=3 eval_tokens=36"}}) {
    std::istringstream words(settings);
    for (std::string word; words >> word;) {
      const std::size_t sign = word.find('=');
      by_setting[word.substr(0, sign)] = {word.substr(sign + 1), letters};
    }
  }
  return by_setting;
}

}  // namespace

TEST_CASE("plan: each setting, changed alone, changes what it is about, and nothing else") {
  const Course as_usual = course_of(usual());
  REQUIRE(difference(as_usual, course_of(usual())) == "");
  std::map<std::string, Effect, std::less<>> left = effects();
  const auto vary = [&](const auto& setting) {
    INFO(setting.name);
    const auto found = left.find(setting.name);
    REQUIRE(found != left.end());
    const Effect effect = found->second;
    left.erase(found);
    Plan plan = usual();
    REQUIRE(setting.get(plan) != effect.value);
    setting.set(plan, effect.value, setting.name);
    CHECK(difference(as_usual, course_of(plan)) == effect.letters);
  };
  for (const PlanSetting& setting : plan_settings) {
    INFO(setting.name << ": a resumed run keeps what decides its weights, but may become longer");
    const auto found = left.find(setting.name);
    REQUIRE(found != left.end());
    const bool decides = found->second.letters.find_first_of("wblru") != std::string::npos;
    CHECK((!decides || setting.holds == Holds::for_the_run) == (setting.name != "max_iters"));
    vary(setting);
  }
  for (const model::Setting<model::Config>& setting : model::config_settings) vary(setting);
  CHECK(left.empty());
}
