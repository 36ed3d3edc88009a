// AdamW (Loshchilov and Hutter, 2019). With the gradient g, clipped to a global norm, at update
// t = 1, 2, ...
//
//     m = beta1 m + (1 - beta1) g            v = beta2 v + (1 - beta2) g^2
//     p = (1 - lr decay) p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// t counts the updates of all parameters together; in PyTorch each counts its own.
//
// The norm is one pass over the gradients; clipping and the update are a second pass.
#pragma once

#include <vector>

#include "engine/base/index.h"
#include "nn/optimizer.h"

namespace nn {

// The defaults of nanoGPT's character model; PyTorch's are beta2 0.999, weight_decay 0.01, no
// clipping. The learning rate is given to each step.
struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
  double weight_decay = 0.1;
  double grad_clip = 1;  // largest global norm of the gradient; 0: no clipping
};

class AdamW final : public Optimizer {
 public:
  // The moments start at 0. decay_matrices makes nanoGPT's groups.
  explicit AdamW(const std::vector<ParameterGroup>& groups, const AdamWOptions& options = {});
  // All parameters in one group.
  explicit AdamW(std::vector<Tensor> parameters, const AdamWOptions& options = {})
      : AdamW({ParameterGroup{std::move(parameters)}}, options) {}

  void apply(double lr, double scale) override;

  // For checkpoints: both moments of parameter i, in the order of the groups, and the number of
  // updates made.
  real* first_moment(Index i) const { return engine::at(m_, i).data(); }
  real* second_moment(Index i) const { return engine::at(v_, i).data(); }
  Index steps() const { return steps_; }
  void set_steps(Index steps);  // 0 <= steps <= 2^53, which a double counts exactly

 private:
  AdamWOptions options_;
  std::vector<Buffer> m_, v_;  // of each parameter
  Index steps_ = 0;
};

}  // namespace nn
