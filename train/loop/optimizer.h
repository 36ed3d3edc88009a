// The optimizers of a run. --optimizer muon, the default of a new run without --config and
// --init_from: Muon for the matrices of the blocks, and AdamW for embeddings, head, norms and
// biases; one norm of all gradients clips both, and one learning rate drives both. --optimizer
// adamw: AdamW for all parameters.
#pragma once

#include <vector>

#include "nn/adamw.h"
#include "nn/muon.h"
#include "train/loop/plan.h"
#include "train/system/words.h"

namespace train {

class Optimizers {
 public:
  // The parameters are those of the plan's model.
  Optimizers(const Plan& plan, const nn::FlatParameters& parameters);

  // Bytes of memory for the moments and Muon's scratch memory.
  static double bytes(const Plan& plan);

  // Floating-point operations of the matrix products in an update; only Muon has any.
  static double flops(const Plan& plan);

  // One update with learning rate lr; clears the gradients. Returns their global norm before
  // clipping. If that is inf or NaN, nothing changes.
  double step(double lr) { return step(lr, {0, std::ssize(parameters_), {}}); }
  // The same if this process has the gradients of its `own` parameters only: only these change, and
  // their moments.
  double step(double lr, const nn::Own& own);

  // For checkpoints: the moments of each parameter, in the order of the parameters, each of the
  // parameter's size; and the number of updates made.
  struct Moments {
    engine::real *first, *second;  // second: null for Muon, which has none
  };
  const std::vector<Moments>& moments() const { return moments_; }
  void set_steps(Index steps) { adamw_.set_steps(steps); }

 private:
  struct Groups {
    std::vector<nn::ParameterGroup> adamw, muon;
    std::vector<bool> by_muon;  // of each parameter
  };
  static Groups groups(const Plan& plan, const nn::FlatParameters& parameters);
  Optimizers(const Plan& plan, const nn::FlatParameters& parameters, Groups groups);

  std::vector<nn::Tensor> parameters_;
  double grad_clip_;
  nn::AdamW adamw_;
  nn::Muon muon_;
  std::vector<Moments> moments_;
};

}  // namespace train
