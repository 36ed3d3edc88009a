// The configurations that training steps are measured for, and a model of one of them. It is
// trained on random tokens, since the time of a step does not depend on the text.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/tape.h"
#include "tests/bench/clock.h"
#include "train/loop/optimizer.h"
#include "train/loop/trainer.h"

namespace bench {

using engine::Index;

struct Configuration {
  std::string_view name;
  Index block, batch, layers, heads, channels, vocabulary;
  double dropout;
  model::Family family = model::Family::gpt2;
  train::OptimizerKind optimizer = train::OptimizerKind::adamw;

  train::Plan plan() const {
    train::Plan plan;
    static_cast<model::Config&>(plan) = {.vocab_size = vocabulary,
                                         .block_size = block,
                                         .n_layer = layers,
                                         .n_head = heads,
                                         .n_embd = channels,
                                         .dropout = dropout};
    model::set_architecture(plan, family);
    plan.optimizer = optimizer;
    plan.batch_size = batch;
    plan.max_iters = plan.eval_interval = Index(1) << 40;
    return plan;
  }
  double flops() const {  // of a step's matrix products
    return plan().update_flops() + train::Optimizers::flops(plan());
  }
  double tokens() const { return static_cast<double>(batch * block); }
};

// a: nanoGPT's settings for a CPU; b: its settings for a GPU at two batch sizes; c: GPT-2 124M.
inline constexpr std::array configurations{
    Configuration{"a", 64, 12, 4, 4, 128, 65, 0.0},
    Configuration{"b16", 256, 16, 6, 6, 384, 65, 0.2},
    Configuration{"b64", 256, 64, 6, 6, 384, 65, 0.2},
    Configuration{"c", 64, 4, 12, 12, 768, 50257, 0.0},
};

inline const Configuration& configuration(std::string_view name) {
  for (const Configuration& c : configurations)
    if (c.name == name) return c;
  engine::fail("bench: no configuration ", name, "; there are a, b16, b64 and c");
}

// A model in training. run() makes steps with the training loop of the program itself.
class Training final : train::Trainer::Listener {
 public:
  explicit Training(const Configuration& c)
      : plan_(c.plan()),
        corpus_(random_tokens(plan_.vocab_size), 90'000),
        training_(plan_, corpus_),
        trainer_(training_, corpus_) {
    training_.step = 1;  // before step 0 there would be an evaluation
  }

  // Makes `steps` steps; returns the loss before the last one.
  double run(Index steps) {
    until_ = training_.step + steps;
    trainer_.run(*this);
    return loss_;
  }

  // One step as the training loop makes it, under an observer. `optimizing` is called between
  // backward and the optimizer.
  template <class Optimizing>
  void run_observed(engine::Tape::Observer& observer, Optimizing optimizing) {
    train::Batch batch(plan_.batch_size, plan_.block_size);
    corpus_.fill(train::Split::train, training_.next_batch, batch);
    engine::Generator dropout_generator = training_.dropout_generator(training_.step);
    engine::Tape tape;
    tape.observe(&observer);
    const engine::Tensor loss =
        training_.gpt.loss(batch.ids, batch.targets, batch.B, batch.T,
                           plan_.dropout > 0 ? &dropout_generator : nullptr);
    tape.backward(loss);
    optimizing();
    training_.optimizer.step(1e-3);
  }

  const nn::FlatParameters& parameters() const { return training_.parameters; }

 private:
  static model::TokenIds random_tokens(Index vocabulary) {
    engine::Generator generator(1);
    model::TokenIds ids(vocabulary);
    for (int i = 0; i < 100'000; ++i)
      ids.push_back(static_cast<std::int32_t>(generator.random64() % std::uint64_t(vocabulary)));
    return ids;
  }

  void updated(const train::Update& update) override { loss_ = update.loss; }
  train::Trainer::Next next(bool, int) override { return {.stop = training_.step >= until_}; }

  train::Plan plan_;
  train::Corpus corpus_;
  train::Training training_;
  train::Trainer trainer_;
  Index until_ = 0;
  double loss_ = 0;
};

}  // namespace bench
