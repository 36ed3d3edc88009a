// The settings of a new run that were not given, and how flags change them.
#include "train/run/make_plan.h"

#include <fstream>
#include <map>
#include <sstream>

#include "engine/base/check.h"
#include "tests/catch.h"
#include "train/cli/arguments.h"

using engine::Index;
using train::Corpus;
using train::Plan;
using train::TrainSettings;

namespace {

train::Settings all_settings(std::vector<std::string_view> words) {
  words.insert(words.begin(), {"train", "text"});
  return train::read_arguments(words, train::unread).settings;
}
TrainSettings settings(const std::vector<std::string_view>& words) {
  return all_settings(words).train;
}

// The plan for a text with this many tokens to train on and to validate on.
Plan plan(const std::vector<std::string_view>& words, Index tokens = 200'000,
          Index validation = 20'000) {
  const train::PlanRequest request = settings(words).plan_request();
  Plan plan = train::make_plan(request, tokens, 65);
  model::TokenIds ids(65);
  for (Index i = 0; i < tokens + validation; ++i) ids.push_back(0);
  train::complete_schedule(plan, request, Corpus(std::move(ids), tokens));
  return plan;
}

}  // namespace

TEST_CASE("make_plan: the schedule of 1, 2, 10 and 100 updates") {
  struct Case {
    std::string_view max_iters;
    Index warmup, decay;
  };
  for (const Case& c : {Case{"1", 0, 1},
                        {"2", 1, 2},
                        {"10", 5, 10},
                        {"100", 50, 100},
                        {"199", 99, 199},
                        {"200", 100, 200},
                        {"5000", 100, 5000}}) {
    INFO(c.max_iters << " updates");
    const Plan p = plan({"--max_iters", c.max_iters});
    CHECK(p.warmup_iters == c.warmup);
    CHECK(p.lr_decay_iters == c.decay);
    CHECK(p.min_lr == 0);
    // The largest rate is reached, and after the last update nothing is left of it.
    CHECK(p.learning_rate_at(c.warmup) == p.learning_rate);
    CHECK(p.learning_rate_at(c.decay) == 0);
    for (Index step = 0; step < c.decay; ++step) REQUIRE(p.learning_rate_at(step) > 0);
  }
  for (const std::string_view decay : {"0", "1"}) {  // 0: there is none
    const Plan p = plan({"--max_iters", "800", "--lr_decay_iters", decay}, 200'000, 1'000);
    CHECK(p.warmup_iters == (decay == "0" ? 100 : 0));
    CHECK(p.eval_interval == (decay == "0" ? 50 : 1));
  }
  const Plan none = plan({"--max_iters", "0"});
  CHECK(none.warmup_iters == 0);
  CHECK(none.eval_interval >= 1);
}

TEST_CASE("make_plan: evaluations take a twentieth of a run") {
  CHECK(plan({"--max_iters", "800"}, 200'000, 1'000).eval_interval == 50);
  CHECK(plan({"--max_iters", "801"}, 200'000, 1'000).eval_interval == 51);
  CHECK(plan({"--max_iters", "4000"}, 200'000, 1'000).eval_interval == 250);
  CHECK(plan({"--max_iters", "100000"}, 200'000, 1'000).eval_interval == 250);
  CHECK(plan({"--max_iters", "1"}).eval_interval == 1);
  // A twentieth of 1,600 updates of 1,024 tokens is enough for predicting three times as many, 245,760:
  // of 14,456 tokens 17 times, of longer texts as much of them, of 10,000 tokens 24 times.
  const auto reads = [](Index validation) {
    return plan({"--max_iters", "1600"}, 200'000, validation);
  };
  for (const Index validation : {1'000, 14'456, 14'457, 500'000}) {
    INFO(validation);
    CHECK(reads(validation).eval_interval == 100);
    CHECK(reads(validation).eval_tokens == (validation > 14'456 ? 14'456 : 0));
  }
  // Of 800 updates 12 times 10,000, of 80 once: four evaluations are made all the same.
  CHECK(plan({"--max_iters", "800"}, 200'000, 500'000).eval_interval == 73);
  CHECK(plan({"--max_iters", "80"}, 200'000, 500'000).eval_interval == 20);
  CHECK(plan({"--max_iters", "80"}, 200'000, 500'000).eval_tokens == 10'000);
  CHECK(plan({"--max_iters", "800", "--eval_interval", "7"}).eval_tokens == 200'000);
  CHECK(plan({"--max_iters", "800", "--eval_tokens", "5"}).eval_tokens == 5);
  CHECK(plan({"--config", "c", "--max_iters", "800"}).eval_tokens == 200'000);
  CHECK(plan({"--max_iters", "800", "--eval_interval", "7"}).eval_interval == 7);
  CHECK(plan({"--max_iters", "800"}, 200'000, 1'000).sample_interval == 50);
  CHECK(plan({"--max_iters", "800", "--eval_interval", "7"}).sample_interval == 7);
  CHECK(plan({"--config", "c", "--max_iters", "800"}).eval_interval == 100);
  CHECK(plan({"--config", "c", "--max_iters", "80000"}).eval_interval == 250);
}

TEST_CASE("make_plan: dropout by how often the run reads its text") {
  // 1,024 tokens an update, 200,000 in the text, 4.06 weights for each.
  CHECK(plan({"--max_iters", "1"}).parameter_count() == 812'544);
  struct Row {
    std::string max_iters;
    double dropout;
  };
  for (const Row& row : {Row{"2884", 0},
                         {"2885", 0.05},
                         {"4807", 0.05},
                         {"4808", 0.1},
                         {"7211", 0.1},
                         {"7212", 0.15},
                         {"12018", 0.15},
                         {"12019", 0.2},
                         {"21633", 0.2},
                         {"21634", 0.25},
                         {"28844", 0.25},
                         {"28845", 0.3}}) {
    INFO(row.max_iters << " updates");
    CHECK(plan({"--max_iters", row.max_iters}).dropout == row.dropout);
  }
  CHECK(plan({"--max_iters", "24038", "--dropout", "0.05"}).dropout == 0.05);
  CHECK(plan({"--max_iters", "1000", "--gradient_accumulation_steps", "7"}).dropout == 0.1);
  CHECK(plan({"--config", "c", "--max_iters", "24038"}).dropout == 0);
}

TEST_CASE("make_plan: Muon's weight decay by text, batch and learning rate, unless it is given") {
  // 1,024 tokens an update, 200,000 in the text, rate 6e-3: 1.28, but 1 at most.
  CHECK(plan({"--max_iters", "100"}).weight_decay == 1);
  CHECK(plan({"--batch_size", "2"}).weight_decay == 0.32);
  CHECK(plan({"--batch_size", "2", "--max_iters", "9"}).weight_decay == 0.32);
  CHECK(plan({"--batch_size", "2", "--learning_rate", "3e-3"}).weight_decay == 0.64);
  CHECK(plan({"--batch_size", "2", "--weight_decay", "0.3"}).weight_decay == 0.3);
  CHECK(plan({"--optimizer", "adamw"}).weight_decay == 0.1);
  CHECK(plan({"--config", "c"}).weight_decay == 0.1);
}

TEST_CASE("make_plan: n_head without n_embd, and the reverse") {
  const auto check = [](const std::vector<std::string_view>& words, Index n_embd, Index n_head) {
    const Plan p = plan(words);  // by default 128 channels, 4 heads
    INFO(words[0] << ' ' << words[1]);
    CHECK(p.n_embd == n_embd);
    CHECK(p.n_head == n_head);
    CHECK_NOTHROW(p.validate());
  };
  check({"--n_head", "2"}, 128, 2);
  check({"--n_head", "6"}, 126, 6);
  check({"--n_head", "200"}, 200, 200);
  check({"--n_embd", "64"}, 64, 4);
  check({"--n_embd", "66"}, 66, 3);  // heads of 22, an even number, as rotary positions need
  check({"--n_embd", "50"}, 50, 1);  // 2 heads would be of 25
  check({"--n_embd", "12"}, 12, 3);
  check({"--n_embd", "96", "--n_head", "3"}, 96, 3);
  check({"--n_embd", "50", "--head_dim", "8"}, 50, 4);
  // An odd size of heads cannot turn pairs: positions are learned instead.
  const Plan odd = plan({"--n_embd", "33"});
  CHECK(odd.n_head == 1);
  CHECK(odd.position == nn::PositionKind::learned);
  CHECK_THROWS_AS(plan({"--n_embd", "33", "--arch", "qwen3"}), engine::Error);
}

TEST_CASE("make_plan: what the recipe, an optimizer or a config brings with it") {
  CHECK(plan({"--max_iters", "10"}).learning_rate == 6e-3);
  CHECK(plan({"--optimizer", "adamw"}).learning_rate == 2e-3);
  CHECK(plan({"--optimizer", "muon"}).learning_rate == 6e-3);  // the recipe's own
  CHECK(plan({"--optimizer", "adamw", "--learning_rate", "0.5"}).learning_rate == 0.5);
  CHECK(plan({}).beta2 == 0.999);
  CHECK(plan({"--optimizer", "adamw"}).beta2 == 0.99);
  CHECK(plan({"--optimizer", "adamw", "--beta2", "0.9"}).beta2 == 0.9);
  CHECK(plan({"--config", "c"}).beta2 == 0.99);
  CHECK(plan({"--config", "c", "--optimizer", "muon"}).beta2 == 0.99);
  CHECK(plan({"--config", "c", "--optimizer", "muon"}).learning_rate == 5e-3);
  CHECK(plan({"--min_lr", "1e-4"}).min_lr == 1e-4);
  const Plan nanogpt = plan({"--config", "c"});
  CHECK(nanogpt.optimizer == train::OptimizerKind::adamw);
  CHECK(nanogpt.min_lr == nanogpt.learning_rate / 10);
  CHECK(nanogpt.position == nn::PositionKind::learned);
  CHECK(plan({"--config", "c", "--arch", "llama"}).position == nn::PositionKind::rope);
  CHECK_FALSE(plan({"--arch", "llama"}).qk_norm);
  CHECK(plan({}).qk_norm);
  CHECK(plan({}).dtype == train::ProductDtype::float32);
}

TEST_CASE("make_plan: a flag that is given its own default changes nothing") {
  const auto values = [](const Plan& plan) {
    std::vector<std::string> all;
    for (const auto& setting : train::plan_settings) all.push_back(setting.get(plan));
    for (const auto& setting : model::config_settings) all.push_back(setting.get(plan));
    return all;
  };
  for (const std::string_view config : {"", "--config=nanogpt.py"}) {
    const auto with = [&](const std::string& flag) {
      std::vector<std::string_view> words;
      if (!config.empty()) words.push_back(config);
      if (!flag.empty()) words.push_back(flag);
      return words;
    };
    const std::vector<std::string> expected = values(plan(with("")));
    for (const train::Flag& flag : train::flags()) {
      if (!flag.is_for(train::Command::train) || !flag.otherwise.empty() || flag.is_switch())
        continue;
      const auto recipe = config.empty() ? train::Recipe::best : train::Recipe::nanogpt;
      const std::string_view named = flag.in_new_runs.of(recipe);
      const std::string given =
          "--" + std::string(flag.name) + "=" +
          (named.empty() ? flag.get(all_settings(with(""))) : std::string(named));
      INFO(config << " " << given);
      CHECK(values(plan(with(given))) == expected);
    }
  }
}

TEST_CASE("make_plan: processes share an update's sequences, or the given micro-batches") {
  const auto of = [](int processes, const std::vector<std::string_view>& words) {
    train::PlanRequest request = settings(words).plan_request();
    request.processes = processes;
    return train::make_plan(request, 200'000, 65);
  };
  const Index batch = of(1, {}).batch_size;
  CHECK(of(1, {}).gradient_accumulation_steps == 1);
  REQUIRE(batch % 4 == 0);
  for (const int processes : {2, 4}) {
    const Plan p = of(processes, {});
    CHECK(p.gradient_accumulation_steps == processes);
    CHECK(p.batch_size == batch / processes);
  }
  CHECK(of(1024, {}).batch_size == 1);
  CHECK(of(4, {"--batch_size", "3"}).batch_size == 3);
  const Plan given = of(4, {"--gradient_accumulation_steps", "12"});
  CHECK(given.gradient_accumulation_steps == 12);
  CHECK(given.batch_size == batch);
  CHECK_THROWS_WITH(of(3, {}), "3 processes, expected a power of two: 2, 4, 8, ...");
  for (const auto& [processes, steps] : {std::pair(3, "3"), {4, "6"}, {2, "1"}})
    CHECK_THROWS_WITH(of(processes, {"--gradient_accumulation_steps", steps}),
                      Catch::StartsWith(std::string("--gradient_accumulation_steps: ") + steps +
                                        " micro-batches cannot be divided among "));
}

// nanoGPT's README has a GPU's command and a CPU's. What a run of theirs has does not depend on the text.
TEST_CASE("make_plan: nanoGPT's commands are nanoGPT's runs, whatever the text's size") {
  using Values = std::map<std::string_view, std::string>;
  const Values both = {
      {"learning_rate", "0.001"}, {"min_lr", "1e-04"},         {"warmup_iters", "100"},
      {"beta1", "0.9"},           {"beta2", "0.99"},           {"weight_decay", "0.1"},
      {"grad_clip", "1"},         {"decay_lr", "true"},        {"gradient_accumulation_steps", "1"},
      {"eval_interval", "250"},   {"bias", "false"},           {"seed", "1337"},
      {"optimizer", "adamw"},     {"norm", "layernorm"},       {"position", "learned"},
      {"activation", "gelu"},     {"lr_schedule", "cosine"},   {"batches", "random"},
      {"tie_weights", "true"},    {"qk_norm", "false"},        {"init_std", "0.02"},
      {"norm_eps", "1e-05"},      {"attention_scale", "sqrt"}, {"causal", "true"},
      {"dtype", "float32"},       {"val_fraction", "0.1"}};
  const Values gpu = {{"block_size", "256"}, {"n_layer", "6"},           {"n_head", "6"},
                      {"n_embd", "384"},     {"dropout", "0.2"},         {"batch_size", "64"},
                      {"max_iters", "5000"}, {"lr_decay_iters", "5000"}, {"eval_iters", "200"}};
  const Values cpu = {{"block_size", "64"},  {"n_layer", "4"},           {"n_head", "4"},
                      {"n_embd", "128"},     {"dropout", "0"},           {"batch_size", "12"},
                      {"max_iters", "2000"}, {"lr_decay_iters", "2000"}, {"eval_iters", "20"}};
  const std::vector<std::string_view> file = {"train", "text", "--config=config.py"};
  std::vector<std::string_view> on_cpu = file;
  on_cpu.insert(on_cpu.end(),
                {"--device=cpu", "--compile=False", "--eval_iters=20", "--log_interval=1",
                 "--block_size=64", "--batch_size=12", "--n_layer=4", "--n_head=4", "--n_embd=128",
                 "--max_iters=2000", "--lr_decay_iters=2000", "--dropout=0.0"});
  const auto read = [](const std::string&) {
    std::ostringstream text;
    text << std::ifstream("train/configs/shakespeare_char.py").rdbuf();
    return text.str();
  };
  for (const auto& [words, own] : {std::pair(file, gpu), std::pair(on_cpu, cpu)})
    for (const Index characters : {6'000, 100'000, 1'000'000, 30'000'000}) {
      const train::PlanRequest request =
          train::read_arguments(words, read).settings.train.plan_request();
      Plan plan = train::make_plan(request, characters, 65);
      model::TokenIds ids(65);
      for (Index i = 0; i < 20'000; ++i) ids.push_back(0);
      train::complete_schedule(plan, request, Corpus(std::move(ids), 18'000));
      Values expected = both, found;
      expected.insert(own.begin(), own.end());
      const auto look = [&](std::string_view name, const std::string& value) {
        if (expected.contains(name)) found[name] = value;
      };
      for (const auto& setting : model::config_settings) look(setting.name, setting.get(plan));
      for (const train::PlanSetting& setting : train::plan_settings)
        look(setting.name, setting.get(plan));
      INFO(characters << " characters");
      for (const auto& [name, value] : expected) {
        INFO(name);
        CHECK(found[name] == value);
      }
    }
}
