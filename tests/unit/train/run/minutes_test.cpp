#include "train/run/budget.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "tests/catch.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "train/loop/evaluation.h"
#include "train/loop/trainer.h"
#include "train/run/make_plan.h"

using namespace train;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Makes ten updates, and remembers how long the fastest took.
struct Fastest final : Trainer::Listener {
  void evaluated(const Evaluation&) override { last = Clock::now(); }
  void updated(const Update&) override {
    seconds = std::min(seconds, seconds_since(last));
    last = Clock::now();
  }
  Trainer::Next next(bool, int) override { return {.stop = left-- <= 0}; }
  Clock::time_point last;
  double seconds = 1e9;
  int left = 10;
};

struct Measured {
  Index max_iters;
  std::vector<std::string> notes;
};

// The run that --minutes lead to, if the program has run for seconds_before before.
Measured choose(double minutes, int seconds_before) {
  Plan plan = sized({.vocab_size = 10, .block_size = 8, .n_layer = 1, .n_head = 1, .n_embd = 8});
  plan.batch_size = 2;
  const Corpus corpus(counting(200, 10), 180);
  Notes notes;
  const Clock::time_point began = Clock::now() - std::chrono::seconds(seconds_before);
  Training trial = trial_of(plan, corpus);
  const Speed speed = measure_speed(trial, plan, corpus, 0.1, {});
  fit_to_minutes({}, minutes, seconds_since(began), speed, corpus, plan, notes);
  CHECK(plan.lr_decay_iters == plan.max_iters);
  return {plan.max_iters, notes.waiting()};
}

}  // namespace

TEST_CASE("minutes: as many updates as fit with their evaluations, and ten in any case") {
  const Speed speed{0.5, 1};
  const auto with_nine = [&](Index n) { return double(n) * speed.update + 9 * speed.evaluation; };
  CHECK(updates_in(100, 10, with_nine) == 182);
  CHECK(updates_in(1, 10, with_nine) == 10);
  CHECK(updates_in(1e6, 10, [](Index) { return 0.0; }) == 1'000'000'000);
}

TEST_CASE("minutes: a guessed evaluation predicts tokens at a third of a step's cost") {
  Plan plan = sized({.vocab_size = 5, .block_size = 10, .n_layer = 1, .n_head = 1, .n_embd = 8});
  plan.batch_size = 1;
  plan.gradient_accumulation_steps = 3;
  const Corpus corpus(counting(2000, 5), 1400);
  const Speed speed = guess_speed(plan, corpus, 1e6);
  CHECK(speed.update >= plan.update_flops() / 1e6);
  CHECK(flops_in(2, 1e9) == Approx(80e9).margin(40e9));  // a third of the peak, or all of it
  const std::tuple<Index, Index, double> cases[] = {{plan.eval_tokens, 0, 600 / 90.0},
                                                    {90, 0, 1},
                                                    {1, 0, 1 / 90.0},
                                                    {0, 0, 600 / 90.0},
                                                    {0, 1, 2 / 9.0},
                                                    {0, 6, 4 / 3.0}};
  // An iteration is a batch of either split.
  for (const auto& [eval_tokens, eval_iters, updates] : cases) {
    CAPTURE(eval_tokens, eval_iters);
    plan.eval_tokens = eval_tokens;
    plan.eval_iters = eval_iters;
    CHECK(guess_speed(plan, corpus, 1e6).evaluation ==
          Approx(speed.update * updates + 50e-9 * double(plan.parameter_count())));
  }
}

TEST_CASE("minutes: what is measured takes as long as the fastest update and batch at least") {
  Plan plan = sized({.vocab_size = 50, .block_size = 32, .n_layer = 2, .n_head = 2, .n_embd = 64});
  plan.eval_tokens = 0;
  const Corpus corpus(counting(6000, 50), 2000);
  double update = 1e9, evaluation = 1e9;
  const auto look = [&] {
    Training training(plan, corpus);
    Trainer trainer(training, corpus);
    Fastest fastest;
    trainer.run(fastest);
    update = std::min(update, fastest.seconds);
    for (int i = 0; i < 10; ++i) {
      const Clock::time_point start = Clock::now();
      const auto [loss, tokens] =
          window_loss(training.gpt, corpus, Split::validation, plan.batch_size, plan.batch_size);
      evaluation = std::min(evaluation, seconds_since(start) * 4000 / double(tokens));
    }
  };
  look();
  Training trial = trial_of(plan, corpus);
  const Speed measured = measure_speed(trial, plan, corpus, 2.5 * update, {});  // some four updates
  look();
  CHECK(measured.update > 0.8 * update);
  CHECK(measured.evaluation > 0.8 * evaluation);
}

TEST_CASE("minutes: a run that takes more than a tenth longer than its minutes says by how much") {
  for (const double seconds : {65.9, 66.0}) CHECK(overrun(seconds, 1) == "");
  CHECK(overrun(66.01, 1) == ", 6 s over --minutes");
  CHECK(overrun(67, 1) == ", 7 s over --minutes");
  CHECK(overrun(1000, 0) == "");
}

TEST_CASE("minutes: the speed, and its share of the peak unless that was measured too low") {
  Plan plan = sized({.vocab_size = 5, .block_size = 10, .n_layer = 1, .n_head = 1, .n_embd = 8});
  plan.batch_size = 1;
  const double flops = plan.update_flops();
  CHECK(speed_text(plan, 0.005, 400 * flops) == "2,000 tokens/s, 50 % of peak");
  CHECK(speed_text(plan, 0.005, 204 * flops) == "2,000 tokens/s, 98 % of peak");
  CHECK(speed_text(plan, 0.005, 196 * flops) == "2,000 tokens/s");
  // What Muon multiplies counts.
  plan.optimizer = OptimizerKind::muon;
  CHECK(speed_text(plan, 0.005, 204 * flops) == "2,000 tokens/s");
}

TEST_CASE("minutes: evaluations and seconds to come are those of the loop, step by step") {
  for (const Index interval : {1, 2, 3, 7, 10, 25, 100})
    for (Index max_iters = 0; max_iters <= 100; ++max_iters) {
      Plan plan;
      plan.eval_interval = interval;
      plan.max_iters = max_iters;
      for (Index from = 0; from <= max_iters; ++from) {
        Index evaluations = 0;
        for (Index step = from; step <= max_iters; ++step)
          evaluations += step % interval == 0 || step == max_iters;
        INFO("from step " << from << " of " << max_iters << ", interval " << interval);
        REQUIRE(evaluations_left(plan, from) == evaluations);
        REQUIRE(seconds_left(plan, from, {3, 0.25}) ==
                3.0 * double(max_iters - from) + 0.25 * double(evaluations));
      }
    }
}

TEST_CASE("minutes: a run is planned again if it would miss its time by more than a tenth") {
  Plan plan;
  plan.max_iters = 1000;
  plan.eval_interval = 50;
  const Speed speed{0.25, 0.5};
  // After the evaluation at step 300: 175 s, and 14 evaluations.
  const auto left = [&](Index length) {
    Plan other = plan;
    other.max_iters = length;
    return 0.25 + seconds_left(other, 301, speed);
  };
  CHECK(left(1000) == 182);
  for (const double requested : {30.0, 240.0})
    for (const double off : {-0.101, -0.1, 0.0, 0.1, 0.101}) {
      const double spent = requested + off * requested - 182;
      const Index length = length_in_time(plan, 300, speed, spent, requested / 60);
      INFO(requested << " seconds, off by " << off);
      CHECK((length == 1000) == (std::abs(off) <= 0.1));
      if (length == 1000) continue;
      CHECK(spent + left(length) <= requested);
      CHECK(spent + left(length + 1) > requested);
    }
  CHECK(length_in_time(plan, 300, speed, 1e6, 0.49) == 1000);
  CHECK(length_in_time(plan, 300, speed, 1e6, 0.5) == 301);
  CHECK(length_in_time(plan, 300, speed, 1e6, 0) == 1000);   // any time
  CHECK(length_in_time(plan, 1000, speed, 1e6, 1) == 1000);  // at its end
}

TEST_CASE("make plan: --minutes count from when the program began") {
  // Of 3 seconds nearly all are left, for some ten thousand updates; or none.
  const Measured all = choose(0.05, 0), none = choose(0.05, 100);
  INFO(all.max_iters << " and " << none.max_iters << " updates");
  CHECK(all.max_iters > 100);
  CHECK(all.notes.empty());
  CHECK(none.max_iters == 10);
  REQUIRE(none.notes.size() == 1);
  CHECK_THAT(none.notes[0],
             Catch::StartsWith("--minutes 0.05: too short for this text, the shortest useful run "
                               "takes about 1 min 4"));
}

TEST_CASE("make plan: at a speed that is known, --minutes lead to the longest run that fits") {
  Plan plan;
  plan.eval_tokens = 0;
  const Corpus corpus(model::TokenIds(10), 0);
  for (const double minutes : {0.01, 0.5, 1.0, 10.0, 100.0}) {
    INFO(minutes << " minutes");
    Notes notes;
    PlanRequest request;
    request.recipe = Recipe::nanogpt;  // evaluations do not depend on the text
    fit_to_minutes(request, minutes, 1, {0.5, 0.25}, corpus, plan, notes);
    const double seconds = 1 + seconds_left(plan, 0, {0.5, 0.25});
    CHECK((plan.max_iters == 10 || seconds <= 60 * minutes));
    plan.max_iters += 3;
    CHECK(1 + seconds_left(plan, 0, {0.5, 0.25}) > 60 * minutes);
    CHECK(notes.waiting().empty() == (seconds < 1.1 * 60 * minutes));
  }
}
