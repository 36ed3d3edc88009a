// Element-by-element loops over tensors of one shape: map for forward, add_map for backward.
#pragma once

#include "engine/kernels/elementwise.h"
#include "engine/tensor.h"

namespace engine {

// y = f(x, ...). f takes and returns Vec.
template <class F, class... More>
Tensor map(F f, const Tensor& x, const More&... more) {
  Tensor y = Tensor::uninitialized(x.shape());
  kernels::parallel_map(y.size(), y.mutable_data(), kernels::Write::overwrite, f, x.data(),
                        more.data()...);
  return y;
}

// dx += f(x, ...)
template <class F, class... In>
void add_map(const Gradient& dx, F f, const In&... in) {
  const GradientDestination out = dx.destination();
  kernels::parallel_map(dx.shape().size(), out.data, out.write, f, in.data()...);
}

}  // namespace engine
