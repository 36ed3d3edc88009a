// The state of training: everything that an update changes or depends on, except the corpus. A
// checkpoint stores all of it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/random/generator.h"
#include "model/gpt/gpt.h"
#include "train/loop/corpus.h"
#include "train/loop/optimizer.h"
#include "train/loop/plan.h"
#include "train/loop/shuffled_starts.h"
#include "train/system/words.h"

namespace train {

// Approximate bytes of memory for training by the plan: weights, gradients (also of micro-batches
// that wait to be added), the optimizer's moments, and the activations of a batch.
double training_bytes(const Plan& plan);

// The losses of some updates.
struct MeanLoss {
  double sum = 0;
  Index count = 0;
  double mean() const { return sum / static_cast<double>(count); }
};

struct Training {
  // A new model, initialized from plan.seed, and the first batch, drawn from the corpus after it.
  Training(const Plan& plan_, const Corpus& corpus);
  // Starts from the weights of a model of the plan's architecture; its context may be longer.
  Training(const Plan& plan_, model::GPT& weights, const Corpus& corpus);
  // For a model that was read from a file; the caller fills in the rest of the state.
  Training(const Plan& plan_, model::GPT gpt_);

  // Draws batch `number` of the run, counted from 0, into next_batch.
  void draw_batch(const Corpus& corpus, Index number);

  // Each micro-batch, counted from 0, has its own generator for dropout, so that neither batches
  // nor other micro-batches depend on it.
  engine::Generator dropout_generator(Index number) const;

  // Throws Diverged, naming the first such tensor, if a weight or a moment is not finite: the last
  // update may have made it infinite, and such a state must not replace a good checkpoint.
  void check_finite() const;
  // Throws Diverged unless the value, which the message calls `name`, is finite; the message also
  // names the first weight or gradient that is not.
  void check_finite(double value, const char* name) const;

  // Whether the model as it is now is worth keeping. A model with random weights is not, unless no
  // update will follow.
  bool is_worth_keeping() const { return step > 0 || begins_with_a_model || plan.max_iters == 0; }

  Plan plan;
  bool begins_with_a_model = false;  // else with random weights
  model::GPT gpt;
  nn::FlatParameters parameters;  // gpt's
  Optimizers optimizer;
  Index step = 0;             // updates made
  Index evaluated_step = -1;  // the step of the last evaluation; -1: none yet
  MeanLoss since_evaluation;
  engine::Generator generator;             // of random batches
  std::vector<std::int64_t> next_batch;    // start positions, drawn one step ahead as in nanoGPT
  std::optional<ShuffledStarts> shuffled;  // if plan.batches is shuffled, from the first draw
  // The lowest validation loss of a model worth keeping, infinite before the first; and its step.
  double best_val_loss = std::numeric_limits<double>::infinity();
  Index best_step = 0;

 private:
  void begin(const Corpus& corpus);  // after the weights are set
};

// Weights, gradients or a loss are no longer finite.
struct Diverged : Error {
  Diverged(Index step_, const std::string& problem)
      : Error(joined("step ", step_, ": ", problem)), step(step_) {}
  Index step;
};

}  // namespace train
