// Element by element over tensors of one shape: forward into a new tensor, backward into a sum.
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
  const Sum sum = dx.sum();
  kernels::parallel_map(dx.shape().size(), sum.data, sum.write, f, in.data()...);
}

}  // namespace engine
