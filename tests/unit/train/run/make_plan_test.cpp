// The settings of a new run that were not given, and how flags change them.
#include "train/run/make_plan.h"

#include <algorithm>
#include <fstream>

#include "engine/base/check.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "train/cli/arguments.h"

using namespace train;
using Words = std::vector<std::string_view>;

namespace {

// --config=c: an empty config, so what is not given has nanoGPT's values.
Settings all_settings(Words words) {
  static const TemporaryDirectory directory;
  static const std::string config = "--config=" + directory / "c";
  std::ofstream(directory / "c").flush();
  std::ranges::replace(words, std::string_view("--config=c"), std::string_view(config));
  words.insert(words.begin(), {"train", "text"});
  return read_arguments(words).settings;
}

// flags: words between spaces.
PlanRequest request_of(std::string_view flags) {
  Words words;
  for (std::size_t begin = 0, end; begin < flags.size(); begin = end + 1) {
    end = std::min(flags.find(' ', begin), flags.size());
    words.push_back(flags.substr(begin, end - begin));
  }
  return all_settings(words).train.plan_request();
}

// The plan for a text with this many tokens to train on and to validate on.
Plan plan_of(const PlanRequest& request, Index tokens = 200'000, Index validation = 20'000) {
  Plan plan = make_plan(request, tokens, 65);
  complete_schedule(plan, request, Corpus(counting(tokens + validation, 65), tokens));
  return plan;
}
Plan plan(std::string_view flags) { return plan_of(request_of(flags)); }

struct Case {
  const char *flags, *settings;
  Index validation = 20'000;
};

void check_cases(std::initializer_list<Case> cases) {
  for (const auto& [flags, settings, validation] : cases) {
    INFO(flags << " with " << validation << " tokens to validate on");
    check_settings(plan_of(request_of(flags), 200'000, validation), settings);
  }
}

}  // namespace

TEST_CASE("make_plan: the schedule of 1, 2, 10 and 100 updates") {
  for (const auto& [max_iters, warmup] : {std::pair<Index, Index>(1, 0),
                                          {2, 1},
                                          {10, 5},
                                          {100, 50},
                                          {199, 99},
                                          {200, 100},
                                          {5000, 100}}) {
    INFO(max_iters << " updates");
    const Plan p = plan(engine::joined("--max_iters ", max_iters));
    CHECK(p.warmup_iters == warmup);
    CHECK(p.lr_decay_iters == max_iters);
    CHECK(p.min_lr == 0);
    // The largest rate is reached, and after the last update nothing is left of it.
    CHECK(p.learning_rate_at(warmup) == p.learning_rate);
    CHECK(p.learning_rate_at(max_iters) == 0);
    for (Index step = 0; step < max_iters; ++step) REQUIRE(p.learning_rate_at(step) > 0);
  }
  check_cases({
      // 0: there is none.
      {"--max_iters 800 --lr_decay_iters 0", "warmup_iters=100 eval_interval=50", 1'000},
      {"--max_iters 800 --lr_decay_iters 1", "warmup_iters=0 eval_interval=1", 1'000},
      {"--max_iters 0", "warmup_iters=0"},
  });
  CHECK(plan("--max_iters 0").eval_interval >= 1);
}

TEST_CASE("make_plan: evaluations take a twentieth of a run") {
  check_cases({
      {"--max_iters 800", "eval_interval=50 sample_interval=50", 1'000},
      {"--max_iters 801", "eval_interval=51", 1'000},
      {"--max_iters 4000", "eval_interval=250", 1'000},
      {"--max_iters 100000", "eval_interval=250", 1'000},
      {"--max_iters 1", "eval_interval=1"},
      // A twentieth of 1,600 updates of 1,024 tokens is enough for predicting three times as many,
      // 245,760: of 14,456 tokens 17 times, of longer texts as much of them, of 10,000 tokens 24 times.
      {"--max_iters 1600", "eval_interval=100 eval_tokens=0", 1'000},
      {"--max_iters 1600", "eval_interval=100 eval_tokens=0", 14'456},
      {"--max_iters 1600", "eval_interval=100 eval_tokens=14456", 14'457},
      {"--max_iters 1600", "eval_interval=100 eval_tokens=14456", 500'000},
      // Of 800 updates 12 times 10,000, of 80 once: four evaluations are made all the same.
      {"--max_iters 800", "eval_interval=73", 500'000},
      {"--max_iters 80", "eval_interval=20 eval_tokens=10000", 500'000},
      {"--max_iters 800 --eval_interval 7", "eval_interval=7 sample_interval=7 eval_tokens=200000"},
      {"--max_iters 800 --eval_tokens 5", "eval_tokens=5"},
      {"--config=c --max_iters 800", "eval_interval=100 eval_tokens=200000"},
      {"--config=c --max_iters 80000", "eval_interval=250"},
  });
}

TEST_CASE("make_plan: dropout by how often the run reads its text") {
  // 1,024 tokens an update, 200,000 in the text, 4.06 weights for each: read 14.77 times, 60 in all.
  CHECK(plan("--max_iters 1").parameter_count() == 812'544);
  check_cases({
      {"--max_iters 2884", "dropout=0"},
      {"--max_iters 2885", "dropout=0.05"},
      {"--max_iters 24038 --dropout 0.05", "dropout=0.05"},
      {"--max_iters 1000 --gradient_accumulation_steps 7", "dropout=0.1"},
      {"--config=c --max_iters 24038", "dropout=0"},
  });
}

TEST_CASE("make_plan: Muon's weight decay by text, batch and learning rate, unless it is given") {
  check_cases({
      // 1,024 tokens an update, 200,000 in the text, rate 6e-3: 1.28, but 1 at most.
      {"--max_iters 100", "weight_decay=1"},
      {"--batch_size 2", "weight_decay=0.32"},
      {"--batch_size 2 --max_iters 9", "weight_decay=0.32"},
      {"--batch_size 2 --learning_rate 3e-3", "weight_decay=0.64"},
      {"--batch_size 2 --weight_decay 0.3", "weight_decay=0.3"},
      {"--batch_size 1 --block_size 8", "weight_decay=0.1"},  // at least
      {"--batch_size 2 --learning_rate 0", "weight_decay=1"},
      {"--optimizer adamw", "weight_decay=0.1"},
      {"--config=c", "weight_decay=0.1"},
  });
}

TEST_CASE("make_plan: n_head without n_embd, and the reverse") {
  for (const auto& [flags, settings] : std::initializer_list<std::pair<const char*, const char*>>{
           // By default 128 channels, 4 heads.
           {"--n_head 2", "n_embd=128 n_head=2"},
           {"--n_head 6", "n_embd=126 n_head=6"},
           {"--n_head 200", "n_embd=200 n_head=200"},
           {"--n_embd 64", "n_embd=64 n_head=4"},
           {"--n_embd 66",
            "n_embd=66 n_head=3"},  // heads of 22, an even number, as rotary positions need
           {"--n_embd 50", "n_embd=50 n_head=1"},  // 2 heads would be of 25
           {"--n_embd 12", "n_embd=12 n_head=3"},
           {"--n_embd 96 --n_head 3", "n_embd=96 n_head=3"},
           {"--n_embd 50 --head_dim 8", "n_embd=50 n_head=4"}}) {
    INFO(flags);
    const Plan p = plan(flags);
    check_settings(p, settings);
    CHECK_NOTHROW(p.validate());
  }
  // An odd size of heads cannot turn pairs: positions are learned instead.
  check_cases({{"--n_embd 33", "n_head=1 position=learned"}});
  CHECK_THROWS_AS(plan("--n_embd 33 --arch qwen3"), engine::Error);
}

TEST_CASE("make_plan: what the recipe, an optimizer or a config brings with it") {
  check_cases({
      {"", "beta2=0.999 qk_norm=true dtype=float32"},
      {"--max_iters 10", "learning_rate=0.006"},
      {"--optimizer adamw", "learning_rate=0.002 beta2=0.99"},
      {"--optimizer muon", "learning_rate=0.006"},  // the recipe's own
      {"--config=c", "beta2=0.99 optimizer=adamw position=learned"},
      {"--config=c --optimizer muon", "beta2=0.99 learning_rate=0.005"},
      {"--config=c --arch llama", "position=rope"},
      {"--arch llama", "qk_norm=false"},
  });
  const Plan nanogpt = plan("--config=c");
  CHECK(nanogpt.min_lr == nanogpt.learning_rate / 10);
}

TEST_CASE("make_plan: a flag that is given its own default changes nothing") {
  const auto values = [](const Plan& plan) {
    std::vector<std::string> all;
    for (const auto& setting : plan_settings) all.push_back(setting.get(plan));
    for (const auto& setting : model::config_settings) all.push_back(setting.get(plan));
    return all;
  };
  for (const std::string config : {"", "--config=c "}) {
    const Words words(config.empty() ? 0 : 1, "--config=c");
    const std::vector<std::string> expected = values(plan(config));
    for (const Flag& flag : flags()) {
      if (!flag.is_for(Command::train) || !flag.otherwise.empty() || flag.is_switch()) continue;
      if (!config.empty() && (flag.name == "momentum" || flag.name == "rope_theta"))
        continue;  // refused, since nanoGPT's recipe has no use for them
      const auto recipe = config.empty() ? Recipe::best : Recipe::nanogpt;
      const std::string_view named = flag.in_new_runs.of(recipe);
      const std::string given =
          "--" + std::string(flag.name) + "=" +
          (named.empty() ? flag.get(all_settings(words)) : std::string(named));
      INFO(config << given);
      CHECK(values(plan(config + given)) == expected);
    }
  }
}

TEST_CASE("make_plan: processes share an update's sequences, or the given micro-batches") {
  const auto of = [](int processes, const std::string& flags) {
    PlanRequest request = request_of(flags);
    request.processes = processes;
    return make_plan(request, 200'000, 65);
  };
  const Index batch = of(1, "").batch_size;
  REQUIRE(batch % 4 == 0);
  for (const int processes : {1, 2, 4}) {
    const Plan p = of(processes, "");
    CHECK(p.gradient_accumulation_steps == processes);
    CHECK(p.batch_size == batch / processes);
  }
  CHECK(of(1024, "").batch_size == 1);
  CHECK(of(4, "--batch_size 3").batch_size == 3);
  const Plan given = of(4, "--gradient_accumulation_steps 12");
  CHECK(given.gradient_accumulation_steps == 12);
  CHECK(given.batch_size == batch);
  CHECK_THROWS_WITH(of(3, ""), "3 processes, expected a power of two: 2, 4, 8, ...");
  for (const auto& [processes, steps] : {std::pair(3, 3), {4, 6}, {2, 1}})
    CHECK_THROWS_WITH(of(processes, engine::joined("--gradient_accumulation_steps ", steps)),
                      Catch::StartsWith(engine::joined("--gradient_accumulation_steps: ", steps,
                                                       " micro-batches cannot be divided among ")));
}

// nanoGPT's README has a GPU's command and a CPU's. What a run of theirs has does not depend on the text.
TEST_CASE("make_plan: nanoGPT's commands are nanoGPT's runs, whatever the text's size") {
  const std::string both =
      "learning_rate=0.001 min_lr=1e-04 warmup_iters=100 beta1=0.9 beta2=0.99 weight_decay=0.1 "
      "grad_clip=1 decay_lr=true gradient_accumulation_steps=1 eval_interval=250 bias=false "
      "seed=1337 optimizer=adamw norm=layernorm position=learned activation=gelu "
      "lr_schedule=cosine batches=random tie_weights=true qk_norm=false init_std=0.02 "
      "norm_eps=1e-05 attention_scale=sqrt causal=true dtype=float32 val_fraction=0.1 ";
  const std::string gpu =
      "block_size=256 n_layer=6 n_head=6 n_embd=384 dropout=0.2 batch_size=64 max_iters=5000 "
      "lr_decay_iters=5000 eval_iters=200";
  const std::string cpu =
      "block_size=64 n_layer=4 n_head=4 n_embd=128 dropout=0 batch_size=12 max_iters=2000 "
      "lr_decay_iters=2000 eval_iters=20";
  const Words file = {"train", "text", "--config=train/configs/shakespeare_char.py"};
  Words on_cpu = file;
  on_cpu.insert(on_cpu.end(),
                {"--device=cpu", "--compile=False", "--eval_iters=20", "--log_interval=1",
                 "--block_size=64", "--batch_size=12", "--n_layer=4", "--n_head=4", "--n_embd=128",
                 "--max_iters=2000", "--lr_decay_iters=2000", "--dropout=0.0"});
  for (const auto& [words, own] : {std::pair(file, gpu), std::pair(on_cpu, cpu)})
    for (const Index characters : {6'000, 100'000, 1'000'000, 30'000'000}) {
      const PlanRequest request = read_arguments(words).settings.train.plan_request();
      Plan plan = make_plan(request, characters, 65);
      complete_schedule(plan, request, Corpus(counting(20'000, 65), 18'000));
      INFO(characters << " characters");
      check_settings(plan, both + own);
    }
}
