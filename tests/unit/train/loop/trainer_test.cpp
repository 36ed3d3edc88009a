// The training loop as a whole: micro-steps, evaluations, the order of its draws.
#include "train/loop/trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
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

TEST_CASE("trainer: the norm of an update is that of the gradients before they are clipped") {
  const auto norm = [](double grad_clip) {
    Plan plan = small_plan();
    plan.grad_clip = grad_clip;
    return log_of(plan, usual_corpus(), 1).updates.at(0).gradient_norm;
  };
  CHECK(norm(0) > 0.02);
  CHECK(norm(0.01) == norm(0));
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
  const auto mean = [&](Index begin, Index size, int batches) {
    double sum = 0;
    for (int k = 0; k < batches; ++k) {
      std::vector<std::int64_t> starts(std::size_t(plan.batch_size));
      generator.randint(starts, 0,
                        size - plan.block_size);  // torch.randint(len(data) - block_size)
      std::vector<std::int32_t> ids, targets;
      for (const std::int64_t start : starts)
        for (Index t = 0; t < plan.block_size; ++t) {
          ids.push_back(corpus.ids()[begin + start + t]);
          targets.push_back(corpus.ids()[begin + start + t + 1]);
        }
      sum += double(gpt.loss(ids, targets, plan.batch_size, plan.block_size).item());
    }
    return sum / batches;
  };
  mean(0, 300, 1);
  CHECK(log.evaluations[0].train_loss == Approx(mean(0, 300, 3)).epsilon(1e-12));
  CHECK(log.evaluations[0].val_loss == Approx(mean(300, 100, 3)).epsilon(1e-12));
}

TEST_CASE("trainer: an update moves the weights by the schedule's rate") {
  Plan plan = small_plan();
  static_cast<Schedule&>(plan) = {
      .learning_rate = 0.01, .min_lr = 0.001, .warmup_iters = 99, .lr_decay_iters = 200};
  plan.weight_decay = 0;
  Training training(plan, usual_corpus());
  const Index n = training.parameters.size();
  const std::vector<real> before(training.parameters.values(), training.parameters.values() + n);
  (void)log_of(training, usual_corpus(), 1);
  double most = 0, largest_weight = 0;
  for (Index i = 0; i < n; ++i) {
    const double was = double(before[std::size_t(i)]);
    most = std::max(most, std::abs(double(training.parameters.values()[i]) - was));
    largest_weight = std::max(largest_weight, std::abs(was));
  }
  // The first step is rate g / (|g| + 1e-8), so the largest gradients' weights move by the rate.
  CHECK(std::abs(most - 0.01 / 100) <= 1e-3 * (0.01 / 100) + 2 * eps * largest_weight);
}

TEST_CASE("trainer: shuffled batches read every sequence once, cut into micro-steps or not") {
  Plan plan = small_plan();
  plan.batches = BatchOrder::shuffled;
  const Corpus& corpus = usual_corpus();  // 59 sequences an epoch
  SECTION("the batches of an epoch") {
    Training training(plan, corpus);
    std::vector<std::int64_t> read;
    for (Index batch = 0; batch < 5; ++batch) {
      training.draw_batch(corpus, batch);
      read.insert(read.end(), training.next_batch.begin(), training.next_batch.end());
    }
    REQUIRE(read.size() == 60);
    read.pop_back();  // the next epoch's first
    std::ranges::sort(read);
    for (std::size_t i = 1; i < read.size(); ++i) CHECK(read[i] == read[i - 1] + 6);
  }
  SECTION("micro-steps take the batches one after another") {
    std::vector<double> expected;
    for (const Index micro_steps : {1, 3}) {
      plan.gradient_accumulation_steps = micro_steps;
      plan.batch_size = 12 / micro_steps;
      const Log log = log_of(plan, corpus, 5);
      for (std::size_t i = 0; i < log.updates.size(); ++i) {
        INFO(micro_steps << " micro-steps, update " << i);
        if (micro_steps == 1) expected.push_back(log.updates[i].loss);
        // Other sequences would change it by more than 0.001.
        CHECK(log.updates[i].loss == Approx(expected.at(i)).epsilon(100 * eps));
      }
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
  // All differ, those of runs with neighboring seeds too.
  std::set<std::uint64_t> first;
  for (const std::uint64_t seed : {1337u, 1338u, 1339u}) {
    plan.seed = seed;
    const Training run(plan, corpus);
    for (Index number = 0; number < 100; ++number)
      first.insert(run.dropout_generator(number).random64());
  }
  CHECK(first.size() == 300);
}

TEST_CASE("trainer: a loss that is no number stops the run, naming the tensor") {
  // A weight is spoiled before the first evaluation, or after it, before the first update.
  struct Spoiler final : Trainer::Listener {
    void updated(const Update&) override { FAIL("an update was made"); }
    Trainer::Next next(bool, int) override {
      *weight = std::numeric_limits<real>::quiet_NaN();
      return {};
    }
    real* weight = nullptr;
  };
  for (const bool before_evaluation : {true, false}) {
    Training training(small_plan(), usual_corpus());
    Trainer trainer(training, usual_corpus());
    Spoiler spoiler;
    spoiler.weight = training.parameters.values();
    if (before_evaluation) spoiler.next(false, 0);
    CHECK_THROWS_WITH(
        trainer.run(spoiler),
        Catch::StartsWith(before_evaluation ? "step 0: the loss of the evaluation is "
                                            : "step 0: the loss is ") &&
            Catch::Contains(
                "nan; the first tensor that is not finite is the weight transformer.wte."));
  }
}

TEST_CASE("trainer: an evaluation reads eval_tokens of the validation text, spread evenly") {
  // 500 windows of 400 tokens.
  Plan plan = sized({.vocab_size = 3, .block_size = 400, .n_layer = 1, .n_head = 1, .n_embd = 2});
  plan.batch_size = 50;
  plan.max_iters = 0;
  for (const Index windows : {499, 500, 501}) {
    const Index n = windows * 400 + 1;
    const Corpus corpus(random_tokens(2 * n, 3), n);
    Training training(plan, corpus);
    const Log log = log_of(training, corpus, 0);
    INFO(windows << " windows");
    REQUIRE(log.evaluations.size() == 1);
    const auto loss = [&](Split split, Index most) {
      return window_loss(training.gpt, corpus, split, plan.batch_size, most);
    };
    const WindowLoss val = loss(Split::validation, 500);
    CHECK(val.tokens == std::min<Index>(windows, 500) * 400);
    CHECK(log.evaluations[0].val_loss == val.loss);
    if (windows > 500) CHECK(val.loss != loss(Split::validation, 0).loss);
    // There are no updates yet: the training loss is that of a batch of windows.
    CHECK(log.evaluations[0].train_loss == loss(Split::train, plan.batch_size).loss);
    const std::pair<Index, Index> parts[] = {
        // tokens and windows; less than a window is one
        {1, 1}, {399, 1}, {400, 1}, {401, 2}, {801, 3}, {0, 0}};
    for (const auto& [tokens, most] : parts) {
      training.plan.eval_tokens = tokens;
      training.evaluated_step = -1;
      CHECK(log_of(training, corpus, 0).evaluations.at(0).val_loss ==
            loss(Split::validation, most).loss);
    }
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

TEST_CASE("evaluation: a limited number of windows is spread over the whole part") {
  const model::GPT gpt = models::initialized(models::sized(5, 4, 1, 1, 4), 3);
  const Index n = 10 * 4 + 3;  // ten windows and one of two targets
  const model::TokenIds ids = random_tokens(n, 5);
  const auto loss_at = [&](Index start, Index length) {  // its sum
    std::vector<std::int32_t> in(static_cast<std::size_t>(length)), out = in;
    ids.copy(start, in);
    ids.copy(start + 1, out);
    return double(gpt.loss(in, out, 1, length).item()) * double(length);
  };
  const struct {
    Index most;
    std::vector<Index> starts;
  } cases[] = {{1, {0}},
               {2, {0, 20}},
               {3, {0, 12, 28}},
               {4, {0, 8, 20, 32}},
               {10, {0, 4, 8, 12, 16, 20, 24, 28, 32, 36}},
               {0, {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40}},
               {50, {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40}}};
  for (const auto& [most, starts] : cases)
    for (const Index batch_size : {1, 3}) {
      double sum = 0;
      Index tokens = 0;
      for (const Index start : starts) {
        const Index length = std::min<Index>(4, n - 1 - start);
        sum += loss_at(start, length);
        tokens += length;
      }
      const WindowLoss got = window_loss(gpt, ids, 0, n, batch_size, most);
      INFO("at most " << most << " windows, " << batch_size << " at a time");
      CHECK(got.tokens == tokens);
      // A batch's mean is rounded once more than its sequences'.
      CHECK(got.loss == Approx(sum / double(tokens)).epsilon(10 * eps));
    }
}

TEST_CASE("evaluation: the mean over random batches") {
  const Corpus corpus(random_tokens(300, 5), 240);
  const model::GPT gpt = models::initialized(models::sized(5, 4, 1, 1, 4), 3);
  for (const Index k : {1, 2, 7}) {
    engine::Generator draws(4), same(4);
    const double got = random_batches_loss(gpt, corpus, Split::validation, k, 3, draws);
    std::vector<std::int64_t> starts(3);
    Batch batch(3, 4);
    double sum = 0;
    for (Index i = 0; i < k; ++i) {
      corpus.draw(Split::validation, 4, same, starts);
      corpus.fill(Split::validation, starts, batch);
      sum += double(gpt.loss(batch.ids, batch.targets, 3, 4).item());
    }
    INFO(k << " batches");
    CHECK(got == Approx(sum / double(k)).epsilon(1e-14));
    CHECK(draws.random64() == same.random64());
  }
}
