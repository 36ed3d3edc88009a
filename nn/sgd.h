// Stochastic gradient descent with momentum (Sutskever et al., 2013), in PyTorch's form:
//
//     v = momentum v + g            p = p - lr v
//
// With momentum 0: p = p - lr g.
#pragma once

#include "nn/module.h"

namespace nn {

class SGD {
 public:
  explicit SGD(const FlatParameters& parameters, double momentum = 0);

  // One update with learning rate lr. Clears the gradients.
  void step(double lr);

 private:
  FlatParameters parameters_;
  double momentum_;
  Buffer velocity_;
};

}  // namespace nn
