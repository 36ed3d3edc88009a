#include "train/run/verdict.h"

#include "model/base/system.h"
#include "tests/catch.h"
#include "tests/unit/train/loop/settings.h"

using namespace train;

TEST_CASE("verdict: in full, where no transcript has it") {
  Plan plan;
  plan.max_iters = 100;
  const auto text_for = [&](const LogRow& best, double before, double train_loss, double val_loss) {
    const LogRow rows[] = {{0, {}, {}, {}, 5, before}, {100, {}, {}, {}, train_loss, val_loss}};
    return verdict(plan, {{3, 2, 2.5}}, *best.val_loss, best, rows,
                   {.bytes_per_token = 2, .characters_per_token = 1})
        .text();
  };
  CHECK(text_for({100, {}, {}, {}, 2, 1.9}, 5, 1.5, 1.9) ==
        "The loss fell from 7.2135 to 2.7411 bits per character. This is better than every n-gram "
        "(the best, of 2 tokens: 2.8854). A new run that is longer, --max_iters 200, or "
        "larger, --n_embd or --n_layer, may lower it further.");
  const LogRow best{40, {}, {}, {}, 2, 2.1};
  CHECK_THAT(text_for(best, 5, 1.5, 2.4),
             Catch::EndsWith("It overfits after update 40 (3.4625 bits per character at the "
                             "end); the model of that update is kept; more text, --dropout 0.2 or "
                             "fewer updates, --max_iters 40, may help."));
  CHECK_THAT(text_for(best, 2.09, 1.5, 2.4),
             Catch::StartsWith("The validation loss was lowest before training"));
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
  CHECK(overfits(known, log[0]));  // as far as is known
}

TEST_CASE("verdict: a run of minutes becomes longer by minutes") {
  const LogRow rows[] = {{0, {}, {}, {}, 4., 4.}, {300, {}, {}, {}, 2., 2.2}};
  for (const Index max_iters : {3, 300}) {
    Plan plan;
    plan.max_iters = max_iters;
    CHECK(verdict(plan, {}, 2.2, rows[1], rows, {}, 1.5).change.text() == "--minutes 3");
  }
}

TEST_CASE("verdict: what is found and advised, on both sides of each limit") {
  struct Row {
    Index max_iters, best_step;
    double train_loss, val_loss, ngram;
    const char *found, *change;  // the end of what is found; the change that is advised
  };
  // The best evaluation: training 2, validation 2.
  for (const Row& row :
       {Row{100, 0, 2, 2, 0, "the initial model is kept; ", "--learning_rate 0.05"},
        {99, 40, 2, 2, 0, "99 updates are only a trial; ", "--max_iters 1000"},
        {1, 40, 2, 2, 0, "1 update is only a trial; ", "--max_iters 1000"},
        {100, 40, 1.98, 2.03, 0, "that update is kept; ", "--dropout 0.4"},
        {100, 40, 1.99, 2.03, 0, "that update is kept; ", "--learning_rate 0.25"},
        {100, 40, 1.33, 2, 0, "another kind", ""},
        {100, 40, 1.34, 2, 0, "", "--max_iters 200"},
        {100, 40, 1.98, 2.02, 0, "since update 40; ", "--n_layer 6"},
        {100, 100, 2, 2, 2.01, "2.8998). ", "--max_iters 200"},
        {100, 100, 2, 2, 1.99, "64 tokens. ", "--max_iters 200"},
        {100, 100, 2, 2, 1.9, "64 tokens. ", "--max_iters 200"},
        {100, 100, 2, 2, 1.8, "64 tokens. ", "--max_iters 400"},
        {100, 100, 2, 2, 1, "does not pass them.", ""}}) {
    Plan plan;
    plan.learning_rate = 0.5;
    plan.max_iters = row.max_iters;
    plan.dropout = 0.3;
    plan.n_layer = 3;
    Ngrams ngrams;
    if (row.ngram > 0) ngrams.losses = {row.ngram + 1, row.ngram};
    const LogRow rows[] = {{0, {}, {}, {}, 6., 6.},
                           {50, {}, {}, {}, 2.2, 2.2},
                           {row.max_iters, {}, {}, {}, row.train_loss, row.val_loss}},
                 best{row.best_step, {}, {}, {}, 2., 2.};
    const Verdict outcome = verdict(plan, ngrams, 2, best, rows, {1, 1});
    INFO(outcome.text());
    CHECK_THAT(outcome.found, Catch::EndsWith(row.found) && !Catch::Contains("--"));
    CHECK((outcome.change.name.empty() ? "" : outcome.change.text()) == row.change);
  }
}
