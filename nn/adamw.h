// AdamW (Loshchilov and Hutter, 2019). With the gradient g, clipped to a global norm (Pascanu et
// al., 2013), at update t = 1, 2, ...
//
//     m = beta1 m + (1 - beta1) g            v = beta2 v + (1 - beta2) g^2
//     p = (1 - lr decay) p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// Parameters with two or more axes decay; norms and biases do not (nanoGPT's two groups). The norm
// is one pass over the gradients; clipping and the update are a second pass, over contiguous
// memory.
#pragma once

#include "nn/module.h"

namespace nn {

using engine::real;

struct AdamWOptions {
  double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-8;
  double weight_decay = 0.1;
  double grad_clip = 1;  // largest global norm of the gradient; 0: no clipping
};

class AdamW {
 public:
  // The moments start at 0.
  AdamW(const FlatParameters& parameters, const AdamWOptions& options);

  // The global norm of the gradients; inf or NaN if a gradient is inf or NaN.
  double gradient_norm() const;
  // One update with learning rate lr; norm is gradient_norm(). Clears the gradients.
  void step(double lr, double norm);

  // For checkpoints: both moments, laid out as the parameters, and the number of updates made.
  real* first_moment() const { return m_.data(); }
  real* second_moment() const { return v_.data(); }
  Index steps() const { return steps_; }
  void set_steps(Index steps) { steps_ = steps; }

 private:
  // A part of one parameter, the unit of work of a thread.
  struct Piece {
    Index offset, size;
    bool decays;
  };
  FlatParameters parameters_;
  AdamWOptions options_;
  std::vector<Piece> pieces_;
  Buffer m_, v_;
  Index steps_ = 0;
};

}  // namespace nn
