#include "train/run/verdict.h"

#include <map>

#include "model/base/system.h"
#include "tests/catch.h"
#include "tests/unit/train/loop/settings.h"

using namespace train;

TEST_CASE("verdict: beside the n-grams, overfitted or not, and what to try") {
  Plan plan;
  plan.max_iters = 100;
  Ngrams ngrams{{3, 2, 2.5}};
  LogRow before{0, {}, {}, {}, 5, 5}, best{100, {}, {}, {}, 2, 1.9};
  const auto text_for = [&](double train_loss, double val_loss) {
    const LogRow evaluations[] = {before, {100, {}, {}, {}, train_loss, val_loss}};
    return verdict(plan, ngrams, *best.val_loss, best, evaluations,
                   {.bytes_per_token = 2, .characters_per_token = 1})
        .text;
  };
  CHECK(text_for(1.5, 1.9) ==
        "At 2.7411 bits per character, the model predicts the validation text better than every "
        "n-gram (the best, of 2 tokens: 2.8854). A new run that is longer, --max_iters 200, or "
        "larger, --n_embd or --n_layer, may lower it further.");
  best.val_loss = 2.1;
  CHECK(text_for(1.5, 2.1) ==
        "Counting still predicts the validation text better: n-grams of 2 tokens reach 2.8854 bits "
        "per character, the model 3.0297. Training longer should help: a new run with --max_iters "
        "200.");
  CHECK_THAT(text_for(1.3, 2.1),
             Catch::Contains("The training text is predicted far better "
                             "(train loss 1.3000, val loss 2.1000): the model"));
  best.step = 40;
  CHECK_THAT(text_for(1.5, 2.4),
             Catch::EndsWith("It overfits after step 40 (3.4625 bits per character at the "
                             "end); the model of that step is kept; more text, --dropout 0.2 or "
                             "fewer updates, --max_iters 40, may help."));
  plan.dropout = 0.3;
  CHECK_THAT(text_for(1.5, 2.4), Catch::Contains("more text, --dropout 0.4 or fewer"));
  CHECK_THAT(text_for(2, 2.4),
             Catch::EndsWith(
                 "The loss rose after step 40 (3.4625 bits per character at "
                 "the end); the model of that step is kept; --learning_rate 0.0005 may help."));
  CHECK_THAT(text_for(2.0, 2.11),
             Catch::EndsWith("The loss has not fallen since step 40; more text or a larger model, "
                             "--n_embd or --n_layer, may lower it further."));
  best.step = 0;  // of a run that began with a model
  CHECK(text_for(1.5, 2.4) ==
        "No update made the model better (3.0297 bits per character before the first, 3.4625 at "
        "the end): the initial model is kept; --learning_rate 0.0001 may help.");
  best.step = 40;
  before.val_loss = 2.09;
  CHECK_THAT(text_for(1.5, 2.4),
             Catch::StartsWith("The validation loss was lowest before training"));
  before.val_loss = 5;
  ngrams.losses.clear();
  CHECK_THAT(text_for(1.5, 2.4), Catch::StartsWith("It overfits after step 40"));
  best.val_loss = 0;  // a text of one character
  best.step = 0;
  CHECK(text_for(0, 0) ==
        "The validation loss is 0: every token of the validation text is certain, and there is "
        "nothing more to learn.");
  best.val_loss = 2.1;
  best.step = 40;
  plan.max_iters = 99;
  CHECK(text_for(1.5, 2.4) ==
        "99 updates are only a trial; --max_iters 1000 or --minutes 5 shows more.");
  plan.learning_rate = 0;
  CHECK(text_for(1.5, 2.4) == "With a learning rate of 0 nothing was learned.");
  plan.causal = false;
  CHECK_THAT(text_for(0.02, 0.02), Catch::StartsWith("The model sees the tokens that it predicts"));
}

TEST_CASE("verdict: overfitting is a training loss that goes on falling") {
  const auto falls = [](std::optional<double> before, double after) {
    return overfits({50, {}, {}, {}, before, 2.5}, {100, {}, {}, {}, after, 3.});
  };
  CHECK(falls(2, 1.98));
  CHECK(!falls(2, 1.995));
  CHECK(!falls(2, 2.1));
  CHECK(falls({}, 2.1));  // a log that was shortened does not say
}

TEST_CASE("verdict: the best evaluation's row is found in the log, or made from what is known") {
  const Plan plan =
      sized({.vocab_size = 5, .block_size = 4, .n_layer = 1, .n_head = 1, .n_embd = 4});
  Training training(plan, model::GPT(plan));
  training.best_step = 50;
  training.best_val_loss = 2.25;
  const std::vector<LogRow> log{
      {25, 1., 1., 1., 3., 2.5}, {50, 1., 1., 1.}, {50, {}, {}, {}, 2., 2.25}};
  CHECK(best_row(training, log).train_loss == 2);
  const LogRow known = best_row(training, {});
  CHECK(known.step == 50);
  CHECK(known.val_loss == 2.25);
  CHECK_FALSE(known.train_loss.has_value());
}

TEST_CASE("verdict: a run of minutes becomes longer by minutes") {
  const LogRow rows[] = {{0, {}, {}, {}, 4., 4.}, {300, {}, {}, {}, 2., 2.2}};
  using Case = std::tuple<Index, double, const char*, const char*>;
  for (const auto& [max_iters, minutes, change, words] :
       {Case{300, 0, "--max_iters 600", "longer, --max_iters 600, or"},
        {300, 1.5, "--minutes 3", "longer, --minutes 3, or"},
        {3, 0, "--max_iters 1000", "--max_iters 1000 or --minutes 5 shows more."},
        {3, 0.5, "--minutes 1", "only a trial; --minutes 1 shows more."}}) {
    Plan plan;
    plan.max_iters = max_iters;
    const Verdict outcome = verdict(plan, {}, 2.2, rows[1], rows, {}, minutes);
    CHECK(outcome.change.text() == change);
    CHECK_THAT(outcome.text, Catch::Contains(words));
  }
}

namespace {

// Outcomes of a run, in the order in which the verdict checks for them.
struct Outcome {
  bool causal;
  double rate;
  Index max_iters, best_step;
  double minutes, first_val, lowest, last_val, train_at_best, last_train, best_ngram, dropout;
};

// Words that only this verdict has, and the change that it proposes.
std::pair<std::string, std::string> expected_of(const Outcome& o) {
  const std::string longer =
      o.minutes > 0 ? joined("--minutes ", 2 * o.minutes) : joined("--max_iters ", 2 * o.max_iters);
  if (!o.causal) return {"sees the tokens that it predicts", ""};
  if (o.rate == 0 && o.max_iters > 0) return {"nothing was learned.", ""};
  if (o.lowest == 0) return {"The validation loss is 0", ""};
  if (o.best_step == 0 && o.max_iters > 0)
    return {"No update made the model better", joined("--learning_rate ", o.rate / 10)};
  if (o.max_iters < 100)
    return {joined(o.max_iters, o.max_iters == 1 ? " update is" : " updates are", " only a trial"),
            o.minutes > 0 ? longer : "--max_iters 1000"};
  if (o.first_val < o.lowest) return {"Is it of the same kind as the training text?", ""};
  if (o.last_val > 1.01 * o.lowest) {
    if (o.last_train < 0.995 * o.train_at_best)
      return {"It overfits after step ", joined("--dropout ", o.dropout < 0.1   ? 0.2
                                                              : o.dropout > 0.8 ? 0.9
                                                                                : o.dropout + 0.1)};
    return {"The loss rose after step ", joined("--learning_rate ", o.rate / 2)};
  }
  if (o.last_val > 1.5 * o.last_train) return {"is predicted far better", ""};
  if (o.last_val > o.lowest) return {"The loss has not fallen since step ", "--n_layer 6"};
  return {o.best_ngram > 0 && o.lowest >= o.best_ngram ? "Training longer should help: "
                                                       : "A new run that is longer, ",
          longer};
}

}  // namespace

TEST_CASE("verdict: each of its branches, on both sides of every limit") {
  // Losses are sums of powers of two, so that limits are met exactly: 2 x 1.01 equals 2.02.
  int checked = 0;
  std::map<std::string, int> seen;
  const auto check = [&](const Outcome& o) {
    Plan plan;
    plan.causal = o.causal;
    plan.learning_rate = o.rate;
    plan.max_iters = o.max_iters;
    plan.dropout = o.dropout;
    plan.n_layer = 3;
    Ngrams ngrams;
    if (o.best_ngram > 0) ngrams.losses = {o.best_ngram + 1, o.best_ngram};
    const LogRow rows[] = {{0, {}, {}, {}, 6., o.first_val},
                           {o.max_iters, {}, {}, {}, o.last_train, o.last_val}},
                 best{o.best_step, {}, {}, {}, o.train_at_best, o.lowest};
    const Verdict outcome = verdict(plan, ngrams, o.lowest, best, rows, {1, 1}, o.minutes);
    const auto [words, change] = expected_of(o);
    ++seen[words];
    ++checked;
    // What a page without flags says: none of it, and all if the text names none.
    const std::string& text = outcome.text;
    CHECK((outcome.advice == text.npos) == (text.find("--") == text.npos));
    CHECK(text.substr(0, outcome.advice).find("--") == text.npos);
    if (outcome.text.find(words) != outcome.text.npos &&
        (outcome.change.name.empty() ? "" : outcome.change.text()) == change &&
        (change.empty() || outcome.text.find(change) != outcome.text.npos ||
         words.ends_with("step ")))
      return;
    INFO(outcome.text << "\n" << outcome.change.text());
    CHECK(words + change == "outcome");
  };
  for (const double last_val : {2.0, 2.01, 2.02, 2.0201, 3.0, 3.5})
    for (const double last_train : {1.25, last_val / 1.5, last_val / 1.5 - 1e-9, 1.99, 1.9899, 2.0})
      for (const double best_ngram : {0.0, 1.99, 2.0, 2.01})
        for (const double dropout : {0.0, 0.09, 0.3, 0.79, 0.8, 0.85})
          for (const Index max_iters : {0, 1, 99, 100, 101})
            for (const double minutes : {0.0, 3.0})
              check({true, 0.5, max_iters, 40, minutes, 2, 2, last_val, 2, last_train, best_ngram,
                     dropout});
  for (const Index best_step : {0, 40})
    for (const Index max_iters : {0, 1, 100})
      for (const double first_val : {1.99, 2.0, 2.01})
        for (const double lowest : {0.0, 2.0})
          for (const double rate : {0.0, 0.5})
            for (const bool causal : {true, false})
              check({causal, rate, max_iters, best_step, 0, first_val, lowest, 2, 2, 2, 0, 0});
  INFO(checked << " outcomes");
  CHECK(seen.size() == 14);
}
