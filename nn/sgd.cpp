#include "nn/sgd.h"

#include <cstddef>
#include <vector>

#include "engine/kernels/elementwise.h"

namespace nn {

using engine::kernels::splat;
using engine::kernels::Vec;

SGD::SGD(const std::vector<ParameterGroup>& groups, const SGDOptions& options)
    : Optimizer("SGD", groups, options.weight_decay, options.grad_clip),
      options_(options),
      velocity_(zeros()) {}

// v = momentum v + scale g + decay p,  p = p - lr v.
void SGD::apply(double lr, double scale) {
  const Vec momentum = splat(options_.momentum), clip = splat(scale);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i];
    if (!parameter.gradient().written()) continue;
    const Vec rate = splat(lr * treatments_[i].learning_rate);
    const Vec decay = splat(treatments_[i].weight_decay);
    engine::kernels::parallel_for_each(
        parameter.size(),
        [=](Vec g, Vec& v, Vec& p) {
          v = momentum * v + (g * clip + decay * p);
          p = p - rate * v;
        },
        parameter.gradient().value().data(), velocity_[i].data(), parameter.mutable_data());
    parameter.gradient().clear();
  }
}

}  // namespace nn
