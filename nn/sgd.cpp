#include "nn/sgd.h"

#include <algorithm>

#include "engine/kernels/elementwise.h"

namespace nn {

using engine::real;
using engine::kernels::broadcast;
using engine::kernels::Vec;
using engine::kernels::Write;

SGD::SGD(const FlatParameters& parameters, double momentum)
    : parameters_(parameters), momentum_(momentum), velocity_(parameters.size()) {
  std::fill_n(velocity_.data(), velocity_.size(), real(0));
}

void SGD::step(double lr) {
  const Index n = parameters_.size();
  real *const v = velocity_.data(), *const p = parameters_.values();
  engine::kernels::parallel_map(
      n, v, Write::overwrite,
      [m = broadcast(static_cast<real>(momentum_))](Vec old, Vec g) { return m * old + g; }, v,
      parameters_.gradients());
  engine::kernels::parallel_map(
      n, p, Write::overwrite,
      [rate = broadcast(static_cast<real>(lr))](Vec old, Vec velocity) {
        return old - rate * velocity;
      },
      p, v);
  parameters_.clear_gradients();
}

}  // namespace nn
