// The training loop: forward, backward, clip, update, and at fixed steps an evaluation, exactly in
// nanoGPT's order of random draws. It knows neither files nor terminals; who runs it is told what
// happened through Listener, and can stop it between two updates.
#pragma once

#include <limits>
#include <vector>

#include "model/gpt/gpt.h"
#include "nn/adamw.h"
#include "train/loop/corpus.h"
#include "train/loop/plan.h"

namespace train {

struct Evaluation {
  Index step;  // updates made before it
  double train_loss, val_loss;
  double learning_rate;  // of the next update
  double val_error;      // standard error of val_loss; 0: the same tokens every time
  bool best;             // the lowest validation loss so far
};

struct Update {
  Index step;  // updates made before this one
  double loss, gradient_norm, learning_rate;
};

class Trainer {
 public:
  struct Listener {
    virtual void evaluated(const Evaluation& evaluation) = 0;
    virtual void updated(const Update& update) = 0;
    // Between two updates, everything in order: the moment to save or, by returning false, to stop.
    // `evaluated` says whether an evaluation has just been made.
    virtual bool between_steps(bool evaluated) = 0;

   protected:
    ~Listener() = default;
  };

  // What, beside the weights, the next steps depend on.
  struct State {
    Index step = 0;  // updates made
    engine::Generator generator, dropout;
    std::vector<std::int64_t> starts;  // of the next batch, drawn one step ahead as nanoGPT does
    double best_val_loss = std::numeric_limits<double>::infinity();
    Index best_step = 0;
  };

  // Initialises the model from plan.seed and draws the first batch. gpt and corpus must outlive it.
  Trainer(model::GPT& gpt, const Corpus& corpus, const Plan& plan);
  // Goes on from a state; the weights and moments are those in gpt and, once set, in optimiser().
  Trainer(model::GPT& gpt, const Corpus& corpus, const Plan& plan, State state);

  // Runs to plan.max_iters or until the listener stops it.
  void run(Listener& listener);

  // Throws engine::Error, naming the first tensor concerned, unless all weights and both moments of
  // all of them are finite: the last update may have made them infinite, and what it made must not
  // replace a checkpoint that is good.
  void check_sound();

  const State& state() const { return state_; }
  AdamW& optimiser() { return optimiser_; }
  const nn::FlatParameters& parameters() const { return parameters_; }

 private:
  void evaluate(Listener& listener);
  Update update();
  void check_finite(double value, const char* what) const;

  model::GPT& gpt_;
  const Corpus& corpus_;
  Plan plan_;
  nn::FlatParameters parameters_;
  AdamW optimiser_;
  State state_;
  Batch batch_;
  bool resumed_;
};

}  // namespace train
