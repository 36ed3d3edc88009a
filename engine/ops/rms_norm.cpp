// Root mean square normalization (Zhang and Sennrich, 2019) along the last axis, C wide: layer
// normalization without subtracting the mean.
//
//     y_i = w_i x_i r,   r = 1 / sqrt(mean x^2 + epsilon)
//
// With g_i = dy_i w_i, and since dr/dx_j = -r^3 x_j / C,
//
//     dx_i = r (g_i - x_i r^2 mean(g x))
//     dw_i = sum over rows of dy_i x_i r
//
// Saved for backward: x, w, and r of each row.

#include "engine/base/check.h"
#include "engine/ops.h"
#include "engine/ops/rms_row.h"
#include "engine/ops/row_chunks.h"
#include "engine/tape.h"

namespace engine {

using kernels::Write;

Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon) {
  const Index rows = x.shape().rows(), cols = x.shape().cols();
  check(x.shape().rank() >= 1, "rms_norm: x needs at least one axis, got ", x.shape());
  check(weight.shape() == Shape{cols}, "rms_norm: x ", x.shape(), " has ", counted(cols, "channel"),
        " but weight has shape ", weight.shape());
  const Tensor y = Tensor::uninitialized(x.shape());
  const Tensor saved = Tensor::uninitialized({rows});
  kernels::parallel_rows(rows, cols, [&](Index row) {
    saved.mutable_data()[row] =
        rms_row(cols, x.data() + row * cols, weight.data(), epsilon, y.mutable_data() + row * cols);
  });

  return record(
      Op::rms_norm, y, {x.gradient(), weight.gradient()},
      [rows, cols, x, weight, saved, dx = x.gradient(), dw = weight.gradient()](const Tensor& dy) {
        const GradientDestination out = dx ? dx.destination() : GradientDestination{};
        sum_over_rows(rows, {dw}, [&](Index row, Write write, const auto& part) {
          const real *const in = x.data() + row * cols, *const g = dy.data() + row * cols;
          const real r = saved.data()[row];
          if (dw) rms_row_weight_backward(cols, in, r, g, part[0], write);
          if (dx) rms_row_backward(cols, in, weight.data(), r, g, out.data + row * cols, out.write);
        });
      });
}

}  // namespace engine
