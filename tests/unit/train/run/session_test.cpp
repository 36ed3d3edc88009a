// What a run saves while it trains, and when it ends. What it says: tests/program/*.t.
#include "train/run/session.h"

#include <chrono>
#include <limits>

#include "model/tokenizer/char_tokenizer.h"
#include "tests/catch.h"
#include "tests/temporary.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "tests/unit/train/run/heard.h"
#include "train/run/checkpoint.h"

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

// 0, 1, 2, ... to train on. The validation text is the same, or has other tokens; their loss then
// rises.
Corpus corpus_of(bool other_kind) {
  const auto token = [&](Index i) { return other_kind && i >= 400 ? i * i % 7 : i % vocabulary; };
  return {tokens_of(460, vocabulary, token),
          400,
          {.bytes_per_token = 1.5, .characters_per_token = 1.25}};
}

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

Run run_of(const Plan& plan, const Corpus& corpus) {
  const std::string_view letters = "abcdefghijk";
  return {Training(plan, corpus), model::CharTokenizer::train({&letters, 1}), {}};
}

struct Ended {
  Words events;
  std::vector<LogRow> log;
  std::vector<Index> samples;  // their steps
  Plan plan;
  Index step;
  KeptLoss kept;
};

Ended ended(Run run, const Corpus& corpus, const SessionOptions& options,
            const std::string& directory) {
  const Watched watched;
  const train::OutputDirectory output(directory);
  Session session(RunFiles(directory), output.lock(), run, corpus, options);
  CHECK(session.run() == 0);
  std::vector<Index> samples;
  for (const Sample& sample : read_record(session.files().samples, read_samples))
    samples.push_back(sample.step);
  return {events, session.log(), samples, run.plan, run.step, session.kept_loss()};
}
Ended ended(const Plan& plan, const Corpus& corpus, const SessionOptions& options) {
  return ended(run_of(plan, corpus), corpus, options, TemporaryDirectory().path());
}

// "model 3": the model of step 3 was saved.
Words saves(const Words& events) {
  Words all;
  for (const std::string& event : events)
    if (event.starts_with("saved "))
      all.push_back(event.substr(6, event.find('.') - 6) + event.substr(event.rfind(' ')));
  return all;
}

}  // namespace

TEST_CASE("session: saves and samples come at the multiples of their intervals, and at the end") {
  const Ended run = ended(plan_of(7, 3, 2, 4), corpus_of(false), {.log_interval = 100});
  CHECK(saves(run.events) == Words{"checkpoint 0", "checkpoint 2", "model 3", "checkpoint 3",
                                   "checkpoint 4", "model 6", "checkpoint 6", "model 7",
                                   "checkpoint 7"});
  CHECK(run.samples == std::vector<Index>{0, 4, 7});
  CHECK(run.kept.measured_on == 0);
  const Ended once = ended(plan_of(1, 5), corpus_of(false), {.log_interval = 100});
  CHECK(saves(once.events) == Words{"checkpoint 0", "model 1", "checkpoint 1"});
  CHECK(once.samples.empty());
  // Without updates, the model of random weights is kept.
  const Ended none = ended(plan_of(0, 1, 1, 1), corpus_of(false), {.log_interval = 100});
  CHECK(none.events.back() == "saved model.safetensors of step 0");
  CHECK(none.samples == std::vector<Index>{0});
  CHECK(none.kept.loss == none.log.front().val_loss);
}

TEST_CASE("session: the model is saved at each evaluation after step 0 that is the best so far") {
  for (const Index eval_interval : {3, 4, 11}) {
    const Ended run = ended(plan_of(60, eval_interval), corpus_of(true), {.log_interval = 100});
    Words expected;
    double best = std::numeric_limits<double>::infinity();
    for (const LogRow& row : run.log)
      if (row.step > 0 && row.val_loss && *row.val_loss < best) {
        best = *row.val_loss;
        expected.push_back(joined("model ", row.step));
      }
    Words models = saves(run.events);
    std::erase_if(models, [](const std::string& save) { return save.starts_with("checkpoint"); });
    CHECK(models == expected);
    CHECK(models.back() != "model 60");
    CHECK(run.kept.loss == best);
  }
}

TEST_CASE("session: a part of the validation text is measured whole at the end, if it is shorter") {
  for (const Index eval_tokens : {1, 59, 60, 61}) {
    INFO(eval_tokens << " of 60 tokens");
    Plan plan = plan_of(4, 2);
    plan.eval_tokens = eval_tokens;
    const Ended run = ended(plan, corpus_of(false), {.log_interval = 100});
    CHECK(run.kept.measured_on == (eval_tokens < 60 ? 59 : 0));
    CHECK(run.events.back() == (eval_tokens < 60 ? "saved model.safetensors of step 4"
                                                 : "saved checkpoint.safetensors of step 4"));
  }
}

TEST_CASE("session: a minute after the program began there is a checkpoint in any case") {
  for (const auto before : {61s, 40s}) {
    const Ended run = ended(plan_of(5, 1000), corpus_of(false),
                            {.log_interval = 1, .start_time = now() - before});
    CHECK(std::ranges::count(saves(run.events), "checkpoint 1") == (before == 61s));
  }
}

TEST_CASE("session: a resumed run stops when its minutes are over") {
  const Corpus corpus = corpus_of(false);
  const TemporaryDirectory directory;
  (void)ended(run_of(plan_of(3, 2), corpus), corpus, {.log_interval = 100}, directory.path());
  const std::string file = read_file(RunFiles(directory.path()).checkpoint, 1 << 20);
  for (const double minutes : {1.0, 2.0, 0.0}) {
    INFO(minutes << " minutes, and one is over");
    Run run = read_checkpoint(model::SafetensorsFile(file));
    run.plan.max_iters = 40;
    const Ended end =
        ended(std::move(run), corpus,
              {.log_interval = 100, .start_time = now() - 60s, .minutes = minutes, .resumed = true},
              directory.path());
    CHECK(end.step == (minutes == 1 ? 3 : 40));  // it is not planned again
  }
}

TEST_CASE("session: a run that would miss its minutes is planned again, twice") {
  // The time was up before it began: each plan ends with the next update.
  const auto late = [](Plan plan, Index lr_decay_iters, double minutes) {
    plan.lr_decay_iters = lr_decay_iters;
    return ended(plan, corpus_of(false),
                 {.log_interval = 1000, .start_time = now() - 2min, .minutes = minutes});
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
