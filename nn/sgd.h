// Stochastic gradient descent, with momentum (Sutskever et al., 2013, as PyTorch writes it):
//
//     v = momentum v + g            p = p - lr v
//
// The simplest optimizer, for small models and for comparison; with momentum 0, p = p - lr g.
#pragma once

#include "nn/module.h"

namespace nn {

class SGD {
 public:
  explicit SGD(const FlatParameters& parameters, double momentum = 0);

  // One update with learning rate lr from the gradients, which are then forgotten.
  void step(double lr);

 private:
  FlatParameters parameters_;
  double momentum_;
  Buffer velocity_;
};

}  // namespace nn
