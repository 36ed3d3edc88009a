// The training loop: forward, backward, clip, update, and at fixed steps an evaluation, exactly in
// nanoGPT's order of random draws. The trainer knows neither files nor terminals: it tells a
// Listener what happened, and the Listener can stop it between two updates.
#pragma once

#include <functional>

#include "train/loop/gradient_sum.h"
#include "train/loop/training.h"
#include "train/system/processes.h"
#include "train/system/words.h"

namespace train {

struct Evaluation {
  Index step = 0;  // updates made before it
  // On random batches; with eval_iters 0, the mean over the updates since the last evaluation, or
  // over some windows if there were no updates.
  double train_loss = 0;
  double val_loss = 0;
  double learning_rate = 0;  // of the next update
  bool best = false;         // the lowest validation loss so far of a model worth keeping
};

struct Update {
  Index step;  // updates made before this one
  double loss, gradient_norm, learning_rate;
};

class Trainer {
 public:
  struct Listener {
    virtual void evaluating() {}  // an evaluation begins
    virtual void evaluated(const Evaluation& evaluation) = 0;
    // Gradients are complete, not yet clipped; with several processes, those of its own parameters.
    virtual void differentiated() {}
    virtual void updated(const Update& update) = 0;
    // Called between two updates, when the state may be saved; returning false stops the training.
    // evaluated: an evaluation has just been made. Process 0's listener may throw Diverged; then
    // all others do. With several processes, each has the moments of its own parameters only, and
    // each listener calls meet, once.
    virtual bool between_steps(bool evaluated) = 0;

   protected:
    ~Listener() = default;
  };

  // Both must outlive the trainer. With several processes, each has a trainer, a listener, and the
  // same training; process 0's listener decides when training stops and how long it is.
  Trainer(Training& training, const Corpus& corpus, Processes processes = {});
  Trainer(const Trainer&) = delete;  // gradient_sum_ refers to shares_

  // Runs to plan.max_iters or until the listener stops it.
  void run(Listener& listener);

 private:
  void evaluate(Listener& listener);
  Evaluation losses();  // of both splits
  Update update(Listener& listener);
  double micro_batch_loss(Index number);
  bool goes_on(Listener& listener, bool evaluated);
  bool is_evaluated(Index step) const;

  Training& training_;
  const Corpus& corpus_;
  Processes processes_;
  Batch batch_;
  Shares shares_;
  GradientSum gradient_sum_;
  std::vector<double> losses_;  // of an update's micro-batches
};

// What all processes do together between two updates. Each calls saves() with the largest signal
// that one of them caught, 0 if none did. Process 0's answer says whether it will write a checkpoint;
// if so, each then has the moments of all parameters.
void meet(const Training& training, const Processes& processes, int caught,
          const std::function<bool(int signal)>& saves);

}  // namespace train
