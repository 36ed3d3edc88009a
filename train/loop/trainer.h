// The training loop: forward, backward, clip, update, and at fixed steps an evaluation, exactly in
// nanoGPT's order of random draws. The trainer knows neither files nor terminals: it tells a
// Listener what happened, and the Listener can stop it between two updates.
#pragma once

#include <vector>

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
  bool best = false;  // the lowest validation loss so far of a model worth keeping
};

struct Update {
  Index step;  // updates made before this one
  double loss, gradient_norm, learning_rate;
};

class Trainer {
 public:
  // What follows an update, or an evaluation: the state is saved first, or training stops.
  struct Next {
    bool save = false, stop = false;
  };
  struct Listener {
    virtual void evaluating() {}  // an evaluation begins
    virtual void evaluated(const Evaluation&) {}
    // Gradients are complete, not yet clipped; with several processes, those of its own parameters.
    virtual void differentiated() {}
    virtual void updated(const Update&) {}
    // Asked between two updates. evaluated: an evaluation has just been made. signal: one that a
    // process has caught, or 0.
    virtual Next next(bool /*evaluated*/, int /*signal*/) { return {}; }
    // Called if next() says so: weights and moments are there, whole and finite. May change the
    // plan's max_iters and lr_decay_iters.
    virtual void save() {}

   protected:
    ~Listener() = default;
  };

  // Both must outlive the trainer. With several processes, each has a trainer and the same
  // training; process 0's listener alone is asked, and saves.
  Trainer(Training& training, const Corpus& corpus, Processes processes = {});
  Trainer(const Trainer&) = delete;  // gradient_sum_ refers to shares_

  // Runs to plan.max_iters or until the listener stops it. Throws Diverged, in all processes.
  void run(Listener& listener);
  void run();  // as long as process 0 says

 private:
  void evaluate(Listener& listener);
  Evaluation losses();  // of both splits
  Update update(Listener& listener);
  double micro_batch_loss(Index number);
  bool goes_on(Listener& listener, bool evaluated);
  void gather_moments();
  bool is_evaluated(Index step) const;

  Training& training_;
  const Corpus& corpus_;
  Processes processes_;
  Batch batch_;
  Shares shares_;
  GradientSum gradient_sum_;
  std::vector<double> losses_;  // of an update's micro-batches
};

}  // namespace train
