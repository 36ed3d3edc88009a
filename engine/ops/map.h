// Element-by-element loops over tensors of one shape: map for forward, add_map for backward.
#pragma once

#include "engine/kernels/elementwise.h"
#include "engine/tensor.h"

namespace engine {

// Returns y with y_i = f(x_i, ...) for tensors of one shape, computed on all threads, not recorded.
// f takes a Vec (engine/kernels/simd.h: several elements at once) of each tensor and returns a Vec.
template <class F, class... More>
Tensor map(F f, const Tensor& x, const More&... more) {
  Tensor y = Tensor::uninitialized(x.shape());
  kernels::parallel_map(y.size(), y.mutable_data(), kernels::Write::overwrite, f, x.data(),
                        more.data()...);
  return y;
}

// For backward: adds f(in_i, ...) to every element i of the gradient dx. Its slot must exist. f is
// as for map. The first contribution overwrites the slot, so it need not be zeroed before.
template <class F, class... In>
void add_map(const Gradient& dx, F f, const In&... in) {
  const GradientDestination out = dx.destination();
  kernels::parallel_map(dx.shape().size(), out.data, out.write, f, in.data()...);
}

}  // namespace engine
