// The training loop as a whole: micro-steps, evaluations, the order of its draws.
#include "train/loop/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.h"
#include "tests/unit/model/models.h"
#include "tests/unit/train/loop/counting.h"
#include "tests/unit/train/loop/settings.h"
#include "train/loop/evaluation.h"

using namespace train;
using engine::real;
using engine::Tensor;

namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();

model::TokenIds random_tokens(Index n, Index vocabulary) {
  const models::Ids drawn = models::random_ids(n, vocabulary, 2);
  return tokens_of(n, vocabulary, [&](Index i) { return engine::at(drawn, i); });
}

// Stops after `left` updates and records its calls.
struct Log final : Trainer::Listener {
  explicit Log(Index updates_) : left(updates_) {}
  void evaluated(const Evaluation& e) override { evaluations.push_back(e); }
  void updated(const Update& u) override { updates.push_back(u); }
  Trainer::Next next(bool, int) override { return {.stop = left-- <= 0}; }
  Index left;
  std::vector<Evaluation> evaluations;
  std::vector<Update> updates;
};
Log log_of(Training& training, const Corpus& corpus, Index updates) {
  Log log(updates);
  Trainer(training, corpus).run(log);
  return log;
}
Log log_of(const Plan& plan, const Corpus& corpus, Index updates) {
  Training training(plan, corpus);
  return log_of(training, corpus, updates);
}

// The one that most tests train on: 360 tokens, and 40 for validation.
const Corpus& usual_corpus() {
  static const Corpus corpus(random_tokens(400, 11), 360);
  return corpus;
}

Plan small_plan() {
  Plan plan = sized({.vocab_size = 11, .block_size = 6, .n_layer = 2, .n_head = 2, .n_embd = 8});
  plan.batch_size = 12;
  plan.max_iters = 100;
  plan.eval_interval = 100;
  plan.beta1 = 0;  // the first moment is then the last gradient
  plan.grad_clip = 0;
  return plan;
}

std::vector<real> first_moments(const Training& training) {
  std::vector<real> all;
  for (std::size_t i = 0; i < training.parameters.entries().size(); ++i) {
    const real* const first = training.optimizer.moments()[i].first;
    all.insert(all.end(), first, first + training.parameters.entries()[i].tensor.size());
  }
  return all;
}

}  // namespace

TEST_CASE("trainer: the gradient of several micro-steps is that of one batch of them all") {
  const Corpus& corpus = usual_corpus();
  Training training(small_plan(), corpus);
  const Log log = log_of(training, corpus, 1);
  REQUIRE(log.updates.size() == 1);
  const std::vector<real> gradient = first_moments(training);
  for (const Index micro_steps : {2, 3, 12}) {
    Plan plan = small_plan();
    plan.gradient_accumulation_steps = micro_steps;
    plan.batch_size = 12 / micro_steps;  // drawn one after another, they are the same sequences
    Training again(plan, corpus);
    const Log steps = log_of(again, corpus, 1);
    INFO(micro_steps << " micro-steps");
    REQUIRE(steps.updates.size() == 1);
    // Other sums of the same terms: a few roundings each.
    CHECK(steps.updates[0].loss == Approx(log.updates[0].loss).epsilon(30 * eps));
    CHECK(steps.updates[0].gradient_norm == Approx(log.updates[0].gradient_norm).epsilon(30 * eps));
    const std::vector<real> same = first_moments(again);
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const double expected = double(gradient[i]);
      difference += std::pow(double(same[i]) - expected, 2);
      size += expected * expected;
    }
    CHECK(size > 0);
    CHECK(std::sqrt(difference / size) < 30 * eps);
    CHECK(again.next_batch.size() == std::size_t(12 / micro_steps));
  }
}

TEST_CASE("trainer: a step's rate, its numbers and its draws") {
  Plan plan = small_plan();
  plan.eval_interval = 3;
  plan.max_iters = 7;
  plan.eval_iters = 2;
  static_cast<Schedule&>(plan) = {
      .learning_rate = 0.01, .min_lr = 0.001, .warmup_iters = 2, .lr_decay_iters = 5};
  Training training(plan, usual_corpus());
  const Log log = log_of(training, usual_corpus(), 100);
  REQUIRE(log.updates.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    INFO("update " << i);
    CHECK(log.updates[i].step == Index(i));
    CHECK(log.updates[i].learning_rate == plan.learning_rate_at(Index(i)));
  }
  REQUIRE(log.evaluations.size() == 4);  // before updates 0, 3 and 6, and at the end
  const Index steps[] = {0, 3, 6, 7};
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 4; ++i) {
    INFO("evaluation " << i);
    CHECK(log.evaluations[i].step == steps[i]);
    // Random weights are not worth keeping.
    CHECK(log.evaluations[i].best == (i > 0 && log.evaluations[i].val_loss < best));
    if (i > 0) best = std::min(best, log.evaluations[i].val_loss);
  }
  CHECK(training.step == 7);

  // The draws, one after another: weights, a batch ahead, evaluations, then a batch a step.
  engine::Generator expected(plan.seed);
  model::GPT fresh(plan);
  model::initialize(fresh, expected);
  const auto skip = [&](Index batches) { expected.discard_uniform(batches * plan.batch_size); };
  skip(1 + 7);                    // the last is the next update's
  skip(3 * 2 * plan.eval_iters);  // the closing evaluation, off the grid, leaves no trace
  engine::Generator now(training.generator);
  CHECK(now.random64() == expected.random64());
}

// nanoGPT's estimate_loss: for split in ["train", "val"], for k in range(eval_iters), a batch of the split;
// its first batch to train on is drawn before all of them.
TEST_CASE("trainer: eval_iters draws nanoGPT's batches, of training first") {
  Plan plan = small_plan();
  plan.max_iters = 0;
  plan.eval_iters = 3;
  const Corpus corpus(random_tokens(400, 11), 300);
  const Log log = log_of(plan, corpus, 1);
  REQUIRE(log.evaluations.size() == 1);

  engine::Generator generator(plan.seed);
  model::GPT gpt(plan);
  model::initialize(gpt, generator);
  const auto mean = [&](Split split, int batches) {
    Batch batch(plan.batch_size, plan.block_size);
    std::vector<std::int64_t> starts(std::size_t(plan.batch_size));
    double sum = 0;
    for (int k = 0; k < batches; ++k) {
      corpus.draw(split, batch.T, generator, starts);
      corpus.fill(split, starts, batch);
      sum += double(gpt.loss(batch.ids, batch.targets, batch.B, batch.T).item());
    }
    return sum / batches;
  };
  mean(Split::train, 1);
  CHECK(log.evaluations[0].train_loss == Approx(mean(Split::train, 3)).epsilon(1e-12));
  CHECK(log.evaluations[0].val_loss == Approx(mean(Split::validation, 3)).epsilon(1e-12));
}

TEST_CASE("trainer: shuffled, micro-steps take the batches one after another") {
  Plan plan = small_plan();
  plan.batches = BatchOrder::shuffled;
  std::vector<double> expected;
  for (const Index micro_steps : {1, 3}) {
    plan.gradient_accumulation_steps = micro_steps;
    plan.batch_size = 12 / micro_steps;
    const Log log = log_of(plan, usual_corpus(), 5);
    for (std::size_t i = 0; i < log.updates.size(); ++i) {
      INFO(micro_steps << " micro-steps, update " << i);
      if (micro_steps == 1) expected.push_back(log.updates[i].loss);
      // Other sequences would change it by more than 0.001.
      CHECK(log.updates[i].loss == Approx(expected.at(i)).epsilon(100 * eps));
    }
  }
}

TEST_CASE("trainer: each micro-batch has a generator of its own for dropout") {
  // Predicts the loss of the next update.
  struct Predictor final : Trainer::Listener {
    Predictor(Training& training_, const Corpus& corpus_) : training(training_), corpus(corpus_) {}
    void updated(const Update& update) override { CHECK(update.loss == expected); }
    Trainer::Next next(bool, int) override {
      Batch batch(training.plan.batch_size, training.plan.block_size);
      corpus.fill(Split::train, training.next_batch, batch);
      engine::Generator generator = training.dropout_generator(training.step);
      expected =
          double(training.gpt.loss(batch.ids, batch.targets, batch.B, batch.T, &generator).item());
      return {.stop = training.step >= 3};
    }
    Training& training;
    const Corpus& corpus;
    double expected = 0;
  };
  Plan plan = small_plan();
  plan.dropout = 0.5;
  plan.eval_iters = 2;
  const Corpus& corpus = usual_corpus();
  Training training(plan, corpus);
  Predictor predictor(training, corpus);
  Trainer(training, corpus).run(predictor);
  // Batches are those of a run without dropout.
  plan.dropout = 0;
  Training without(plan, corpus);
  (void)log_of(without, corpus, 3);
  CHECK(training.next_batch == without.next_batch);
  // SplitMix64 mixes the state 1234567 + 0x9e3779b97f4a7c15 to 6457827717110365317, its first published number.
  const std::uint64_t state = 1234567 + 0x9e3779b97f4a7c15;
  plan.seed = state >> 32;
  CHECK(
      Training(plan, corpus).dropout_generator(static_cast<Index>(state & 0xffffffff)).random64() ==
      engine::Generator(6457827717110365317).random64());
}

TEST_CASE("trainer: a loss that is no number stops the run, naming the tensor") {
  Training training(small_plan(), usual_corpus());
  *training.parameters.values() = std::numeric_limits<real>::quiet_NaN();
  CHECK_THROWS_WITH(Trainer(training, usual_corpus()).run(),
                    Catch::Contains("that is not finite is the weight transformer.wte."));
}

TEST_CASE("trainer: an evaluation reads eval_tokens of the validation text, in whole windows") {
  Plan plan = small_plan();
  plan.max_iters = 0;
  const std::pair<Index, Index> cases[] = {{1, 1}, {5, 1}, {6, 1}, {7, 2}, {13, 3}, {0, 0}};
  for (const auto& [tokens, windows] : cases) {
    plan.eval_tokens = tokens;
    Training training(plan, usual_corpus());
    const Log log = log_of(training, usual_corpus(), 0);
    const auto loss = [&](Split split, Index most) {
      return window_loss(training.gpt, usual_corpus(), split, plan.batch_size, most).loss;
    };
    INFO(tokens << " tokens");
    CHECK(log.evaluations.at(0).val_loss == loss(Split::validation, windows));
    // There are no updates yet: the training loss is that of a batch of windows.
    CHECK(log.evaluations.at(0).train_loss == loss(Split::train, plan.batch_size));
  }
}

TEST_CASE("trainer: the training loss is the mean over the updates since the last evaluation") {
  Plan plan = small_plan();
  plan.eval_interval = 3;
  plan.max_iters = 7;
  Training training(plan, usual_corpus());
  const Log log = log_of(training, usual_corpus(), 100);
  REQUIRE(log.evaluations.size() == 4);
  const auto loss = [&](std::size_t i) { return log.updates[i].loss; };
  CHECK(log.evaluations[1].train_loss == (loss(0) + loss(1) + loss(2)) / 3);
  CHECK(log.evaluations[2].train_loss == (loss(3) + loss(4) + loss(5)) / 3);
  CHECK(log.evaluations[3].train_loss == loss(6));
  // The last evaluation was off the grid: continued, the run is as if it had not been made.
  training.plan.max_iters = 9;
  const Log more = log_of(training, usual_corpus(), 100);
  REQUIRE(more.updates.size() == 2);
  CHECK(more.evaluations.back().train_loss ==
        (loss(6) + more.updates[0].loss + more.updates[1].loss) / 3);
}
