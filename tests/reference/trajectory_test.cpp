// 20 updates as PyTorch makes them: Muon alone on matrices of three shapes, and the trainer on a small
// Qwen3 with Muon and AdamW together, shuffled batches, accumulation, a straight line of learning
// rates, clipping. make_trajectory.py says how the numbers were made.
//
// Tolerances: in double 1e-9 of a tensor's norm. An update's rounding, some 1e-15, passes through
// Newton and Schulz's iteration, which enlarges a small singular value's error up to 485 times, and
// through 20 updates; each may double what the last ones left at most: 1e-15 x 485 x 20
// were 1e-11, and 15 digits are stored. In float the same with 6e-8 for 1e-16 says nothing about 20
// updates (6e-3), so only the first update's weights, losses and rates are compared there.
#include "engine/tape.h"
#include "nn/muon.h"
#include "tests/reference/families.h"
#include "train/loop/trainer.h"

using engine::Index;
using engine::Tensor;

namespace {

const reference::Numbers& numbers() {
  static const reference::Numbers all("tests/reference/trajectory.txt");
  return all;
}

constexpr int updates = 20;

// What make_trajectory.py calls tensor(shape, k, scale).
Tensor formula(Index rows, Index cols, Index k, double scale) {
  Tensor x = Tensor::uninitialized({rows, cols});
  golden::fill(x, k, scale);
  return x;
}

struct Notes : train::Trainer::Listener {
  golden::Values losses, norms, rates;
  void updated(const train::Update& update) override {
    losses.push_back(update.loss);
    norms.push_back(update.gradient_norm);
    rates.push_back(update.learning_rate);
  }
};

}  // namespace

TEST_CASE("reference: 20 updates of matrices of three shapes by Muon") {
  struct Shape {
    const char* name;
    Index rows, cols;
  };
  Index number = 0;
  for (const Shape& shape : {Shape{"wide", 6, 10}, {"tall", 12, 5}, {"square", 8, 8}}) {
    Tensor p = formula(shape.rows, shape.cols, number, 0.5).require_gradient();
    nn::Muon muon({p}, {.momentum = 0.9, .weight_decay = 0.05, .grad_clip = 0});
    for (int step = 0; step < updates; ++step) {
      const Tensor g = formula(shape.rows, shape.cols, 10 + 20 * number + step, 0.3);
      engine::Tape tape;
      tape.backward(engine::sum(p * g));
      muon.step(0.03);
      const std::string name = "muon." + std::string(shape.name) + "." + std::to_string(step + 1);
      if (step == 0) numbers().check(name, reference::values(p), golden::in_double ? 1e-12 : 1e-5);
      if (step == 19 && golden::in_double) numbers().check(name, reference::values(p), 1e-9);
    }
    ++number;
  }
}

TEST_CASE("reference: 20 updates of a small Qwen3 by the trainer, as the defaults train") {
  train::Plan plan;
  static_cast<model::Config&>(plan) =
      reference::config_of(model::Family::qwen3, {13, 8, 2, 4, 12, 2, 4, 16, false, 1e-6, 10'000});
  plan.seed = 42;
  plan.batch_size = 3;
  plan.gradient_accumulation_steps = 2;
  plan.max_iters = updates;
  plan.eval_interval = 1000;
  plan.optimizer = train::OptimizerKind::muon;
  plan.batches = train::BatchOrder::shuffled;
  plan.lr_schedule = train::Decay::linear;
  plan.learning_rate = 0.02;
  plan.min_lr = 0.001;
  plan.warmup_iters = 4;
  plan.lr_decay_iters = 18;
  plan.momentum = 0.95;
  plan.beta1 = 0.9, plan.beta2 = 0.99;
  plan.weight_decay = 0.1;
  plan.grad_clip = 2;

  // 200 tokens to train on; the last block_size + 1 are there for the trainer's evaluations.
  model::TokenIds ids(plan.vocab_size);
  for (Index i = 0; i < 200 + 9; ++i)
    ids.push_back(static_cast<std::int32_t>(i < 200 ? (i * i / 7 + 3 * i) % 13 : 0));
  const train::Corpus corpus(std::move(ids), 200);
  model::GPT start(plan);
  REQUIRE(reference::fill(start) == plan.parameter_count());
  train::Training training(plan, start, corpus);
  Notes notes;
  train::Trainer(training, corpus).run(notes);

  numbers().check("qwen3.rates", notes.rates, 1e-14);
  if (golden::in_double) {
    numbers().check("qwen3.losses", notes.losses, 1e-9);
    numbers().check("qwen3.norms", notes.norms, 1e-9);
    for (const reference::Part& part : reference::parts_of(training.gpt))
      numbers().check("qwen3.trained." + part.name, part.rows_of(part.tensor), 1e-9);
  }
}
