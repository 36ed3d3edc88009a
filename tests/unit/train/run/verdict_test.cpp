#include "train/run/verdict.h"

#include "model/tokenizer/byte_tokenizer.h"
#include "tests/catch.h"

using namespace train;

namespace {

Evaluation losses(double train_loss, double val_loss) {
  return {100, train_loss, val_loss, 1e-3, 0, false};
}

}  // namespace

TEST_CASE("verdict: beside the n-grams, overfitted or not, and what to try") {
  Plan plan;
  static_cast<model::Config&>(plan) = {
      .vocab_size = 256, .block_size = 4, .n_layer = 1, .n_head = 1, .n_embd = 4};
  plan.max_iters = 100;
  Run run(Training(plan, model::GPT(plan)), std::make_shared<model::ByteTokenizer>(),
          Facts{{}, {}, {3, 2, 2.5}});
  run.best_val_loss = 1.9;
  run.best_step = 100;
  CHECK(verdict(run, losses(1.5, 1.9)) ==
        "The model predicts the validation text better than every n-gram (the best, with 2 tokens: "
        "2.0000). Training longer or a larger model, --n_embd or --n_layer, may lower it further.");
  run.best_val_loss = 2.1;
  CHECK(verdict(run, losses(1.5, 2.1)) ==
        "Counting still predicts the validation text better: n-grams of 2 tokens reach 2.0000. "
        "Training longer, --max_iters 200 or --minutes, should help.");
  run.best_step = 40;
  CHECK_THAT(verdict(run, losses(1.5, 2.4)),
             Catch::Contains("It overfits after step 40 (validation loss 2.4000 "
                             "at the end); more text, --dropout 0.2, or "
                             "--max_iters 40 may help."));
  CHECK_THAT(verdict(run, losses(2.2, 2.4)),
             Catch::EndsWith("Both losses rose after step 40 (validation loss 2.4000 at the end); "
                             "--learning_rate 0.0005 may help."));
  CHECK(overfits(run, losses(2.09, 3)));
  CHECK(!overfits(run, losses(2.11, 3)));
  run.facts.ngram_losses.clear();
  CHECK_THAT(verdict(run, losses(1.5, 2.4)), Catch::StartsWith("It overfits after step 40"));
  run.plan.max_iters = 99;
  CHECK(verdict(run, losses(1.5, 2.4)) ==
        "99 updates are only a trial; --max_iters 1000 or --minutes 5 shows more.");
}
