// What a run says and saves while it trains, event by event. Each event follows from the settings, from
// the losses in log.csv and from the time when the program began, by rules that are written once more
// here.
#include "train/run/session.h"

#include <chrono>
#include <cstdio>
#include <limits>
#include <numbers>

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

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

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

// What a run prints and saves when each evaluation reads all of the validation text. Of the lines
// with a speed only the beginning is compared.
Words expected_events(const Plan& plan, Index log_interval, const std::vector<LogRow>& log) {
  Words all{"saved checkpoint.safetensors of step 0"};
  const auto row_of = [&](Index step) { return *std::ranges::find(log, step, &LogRow::step); };
  double best = std::numeric_limits<double>::infinity();
  Index best_step = 0;
  for (Index step = 0; step <= plan.max_iters; ++step) {
    const bool last = step == plan.max_iters, is_evaluated = last || step % plan.eval_interval == 0;
    bool is_best = false;
    if (is_evaluated) {
      const double train = *row_of(step).train_loss, val = *row_of(step).val_loss;
      is_best = step > 0 && val < best;
      if (is_best) best = val, best_step = step;
      all.push_back(joined(
          "out step ", step, ": train loss ", rounded(train), ", val loss ", rounded(val), ", ",
          rounded(val / std::numbers::ln2 / 1.25), " bits per character",
          step == 0 ? " (lower is better)" : "",
          step == 0 || is_best ? "" : joined(", best ", rounded(best), " at step ", best_step)));
    }
    if (is_best) all.push_back(joined("saved model.safetensors of step ", step));
    const bool is_saved =
        is_evaluated || (plan.save_interval > 0 && step % plan.save_interval == 0);
    if (is_saved && step > 0) all.push_back(joined("saved checkpoint.safetensors of step ", step));
    if (!last && step % log_interval == 0)
      all.push_back(joined("err iter ", step, ": loss ", rounded(*row_of(step + 1).loss), ", "));
  }
  return all;
}

void check_events(const Words& found, const Words& expected) {
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    const bool has_speed = expected[i].starts_with("err iter ");
    INFO("event " << i);
    CHECK((has_speed ? found[i].substr(0, expected[i].size()) : found[i]) == expected[i]);
  }
  CHECK(found.size() == expected.size());
}

}  // namespace

TEST_CASE("session: evaluations, lines and saves come at the multiples of their intervals") {
  struct Case {
    Index max_iters, eval_interval, save_interval, sample_interval, log_interval;
    bool other_kind;
  };
  for (const Case& c : {Case{7, 3, 2, 4, 2, false},
                        {6, 3, 0, 3, 1, false},
                        {1, 5, 1, 0, 7, false},
                        {0, 1, 1, 1, 1, false},
                        {60, 4, 7, 25, 30, true},
                        {60, 3, 0, 0, 100, true},
                        {44, 11, 0, 0, 44, true}}) {
    INFO(c.max_iters << " updates, evaluated each " << c.eval_interval);
    const Plan plan = plan_of(c.max_iters, c.eval_interval, c.save_interval, c.sample_interval);
    const Ended run =
        ended(plan, corpus_of(c.other_kind), {.log_interval = c.log_interval, .peak_flops = 1e9});
    if (c.max_iters > 0)
      check_events(run.events, expected_events(plan, c.log_interval, run.log));
    else  // the model of random weights is kept
      CHECK(run.events.back() == "saved model.safetensors of step 0");
    std::vector<Index> samples;
    for (Index step = 0; c.sample_interval > 0 && step <= c.max_iters; ++step)
      if (step % c.sample_interval == 0 || step == c.max_iters) samples.push_back(step);
    CHECK(run.samples == samples);
    CHECK(run.kept.measured_on == 0);
    double best = std::numeric_limits<double>::infinity();
    for (const LogRow& row : run.log)
      if (row.val_loss && (row.step > 0 || c.max_iters == 0)) best = std::min(best, *row.val_loss);
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
    Words saved;
    for (const std::string& event : run.events)
      if (event.starts_with("saved checkpoint"))
        saved.push_back(event.substr(event.rfind(' ') + 1));
    CHECK(saved == (before == 61s ? Words{"0", "1", "5"} : Words{"0", "5"}));
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
