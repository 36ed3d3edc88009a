// Stochastic gradient descent with momentum (Sutskever et al., 2013), in PyTorch's form:
//
//     v = momentum v + g + decay p           p = p - lr v
//
// With momentum 0 and no decay: p = p - lr g.
#pragma once

#include <utility>
#include <vector>

#include "nn/optimizer.h"

namespace nn {

struct SGDOptions {
  double momentum = 0;
  double weight_decay = 0;
  double grad_clip = 0;  // largest global norm of the gradient; 0: no clipping
};

class SGD final : public Optimizer {
 public:
  explicit SGD(const std::vector<ParameterGroup>& groups, const SGDOptions& options = {});
  explicit SGD(std::vector<Tensor> parameters, const SGDOptions& options = {})
      : SGD({ParameterGroup{std::move(parameters)}}, options) {}

  void apply(double lr, double scale) override;

 private:
  SGDOptions options_;
  std::vector<Buffer> velocity_;  // of each parameter
};

}  // namespace nn
