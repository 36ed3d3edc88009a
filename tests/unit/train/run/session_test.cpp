// What a run saves while it trains, and when it ends. What it says: tests/program/*.t.
#include "train/run/session.h"

#include <chrono>

#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "tests/unit/train/run/heard.h"

using namespace train;
using namespace std::chrono_literals;
using Words = std::vector<std::string>;

namespace {

// "out LINE", "err LINE" and "saved NAME of step N", in order.
Words events;

void note(const std::string& event) { events.push_back(event); }

std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }

// Records messages, and what replaces a model or checkpoint.
class Watched {
 public:
  Watched() {
    events.clear();
    static const model::SystemCalls real;
    model::system_calls.rename = [](const char* from, const char* to) {
      const std::string name = last_name(to);
      if (name.ends_with(".safetensors"))
        note(joined("saved ", name, " of step ", model::read_metadata(from).at("step")));
      return real.rename(from, to);
    };
    model::system_calls.flush = [](int) { return 0; };  // which is most of the time
  }

 private:
  heard::Streams streams_{
      [](int stream, const std::string& line) { note((stream == 1 ? "out " : "err ") + line); }};
};

constexpr Index vocabulary = 11;

Plan plan_of(Index max_iters, Index eval_interval, Index save_interval = 0,
             Index sample_interval = 0) {
  Plan plan =
      sized({.vocab_size = vocabulary, .block_size = 6, .n_layer = 1, .n_head = 2, .n_embd = 8},
            {.learning_rate = 0.03, .decay_lr = false});
  plan.batch_size = 4;
  plan.max_iters = max_iters;
  plan.eval_interval = eval_interval;
  plan.save_interval = save_interval;
  plan.sample_interval = sample_interval;
  plan.eval_tokens = 0;
  return plan;
}

struct Ended {
  Words events;
  std::vector<Index> samples;  // their steps
  Plan plan;
  Index step;
};

// A run that learns to count.
Ended ended(const Plan& plan, const SessionOptions& options) {
  const Corpus corpus(counting(460, vocabulary), 400);
  const std::string_view letters = "abcdefghijk";
  Run run{Training(plan, corpus), model::CharTokenizer::train({&letters, 1}), {}};
  const TemporaryDirectory directory;
  const Watched watched;
  const train::OutputDirectory output(directory.path());
  Session session(RunFiles(directory.path()), output.lock(), run, corpus, options);
  CHECK(session.run() == 0);
  std::vector<Index> samples;
  for (const Sample& sample : read_record(session.files().samples, read_samples))
    samples.push_back(sample.step);
  return {events, samples, run.plan, run.step};
}

// "model 3": the model of step 3 was saved.
Words saves(const Words& of) {
  Words all;
  for (const std::string& event : of)
    if (event.starts_with("saved "))
      all.push_back(event.substr(6, event.find('.') - 6) + event.substr(event.rfind(' ')));
  return all;
}

}  // namespace

TEST_CASE("session: saves and samples come at the multiples of their intervals, and at the end") {
  const Ended run = ended(plan_of(7, 3, 2, 4), {.log_interval = 100});
  CHECK(saves(run.events) == Words{"checkpoint 0", "checkpoint 2", "model 3", "checkpoint 3",
                                   "checkpoint 4", "model 6", "checkpoint 6", "model 7",
                                   "checkpoint 7"});
  CHECK(run.samples == std::vector<Index>{0, 4, 7});
  const Ended once = ended(plan_of(1, 5), {.log_interval = 100});
  CHECK(saves(once.events) == Words{"checkpoint 0", "model 1", "checkpoint 1"});
  CHECK(once.samples.empty());
  // Without updates, the model of random weights is kept.
  const Ended none = ended(plan_of(0, 1, 1, 1), {.log_interval = 100});
  CHECK(none.events.back() == "saved model.safetensors of step 0");
  CHECK(none.samples == std::vector<Index>{0});
}

TEST_CASE("session: a minute after the program began there is a checkpoint in any case") {
  for (const auto before : {61s, 40s}) {
    const Ended run = ended(plan_of(5, 1000), {.log_interval = 1, .start_time = now() - before});
    CHECK(std::ranges::count(saves(run.events), "checkpoint 1") == (before == 61s));
  }
}

TEST_CASE("session: a run that would miss its minutes is planned again, twice") {
  // The time was up before it began: each plan ends with the next update.
  const auto late = [](Plan plan, Index lr_decay_iters, double minutes) {
    plan.lr_decay_iters = lr_decay_iters;
    return ended(plan, {.log_interval = 1000, .start_time = now() - 2min, .minutes = minutes});
  };
  for (const Index eval_interval : {19, 20}) {
    const Ended run = late(plan_of(100, eval_interval), 100, 1);
    const Index planned_at = eval_interval == 20 ? 20 : 38;
    CHECK(std::ranges::count(run.events, joined("err at this speed, ", planned_at + 1,
                                                " updates (not 100) fit into --minutes 1")) == 1);
    CHECK(run.step == planned_at + 1);
    CHECK(run.plan.lr_decay_iters == planned_at + 1);
  }
  // A schedule of its own keeps its end; minutes below half of one plan nothing again.
  for (const double minutes : {0.5, 0.49}) {
    const Ended run = late(plan_of(50, 25), 70, minutes);
    CHECK(run.plan.lr_decay_iters == 70);
    CHECK(run.step == (minutes == 0.5 ? 26 : 50));
  }
}
