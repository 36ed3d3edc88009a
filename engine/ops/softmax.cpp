// softmax and its logarithm, along the last axis.

#include <cmath>

#include "engine/base/check.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"
#include "engine/kernels/softmax.h"
#include "engine/ops.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;

// y_i = exp(x_i - max x) / sum_j exp(x_j - max x)
// The derivative of y_i with respect to x_j is J_ij = y_i ([i = j] - y_j). [i = j] is 1 if i = j,
// and 0 if not. The terms with [i = j] sum to y_j dy_j, the others to -y_j sum_i y_i dy_i:
//     dx_j = sum_i dy_i J_ij = y_j (dy_j - <y, dy>),   <y, dy> = sum_i y_i dy_i
// So backward needs y and not x. (<y, dy>: chunks of 1024 numbers are summed in
// real, the chunks' sums in double.)
Tensor softmax(const Tensor& x) {
  check(x.shape().rank() >= 1, "softmax: x needs at least one axis, got ", x.shape());
  const Tensor y = Tensor::uninitialized(x.shape());
  const Index cols = x.shape().cols(), rows = cols == 0 ? 0 : x.shape().rows();
  kernels::parallel_rows(rows, cols, [&](Index r) {
    const auto [max, sum] =
        kernels::exp_row(cols, x.data() + r * cols, y.mutable_data() + r * cols);
    kernels::scale_row(cols, y.mutable_data() + r * cols, 1 / sum);
  });
  return record(Op::softmax, y, {x.gradient()},
                [rows, cols, y, dx = x.gradient()](const Tensor& dy) {
                  const GradientDestination out = dx.destination();
                  kernels::parallel_rows(rows, cols, [&](Index r) {
                    const real *const p = y.data() + r * cols, *const dp = dy.data() + r * cols;
                    const double dot = kernels::sum_of(
                        cols, [](Vec u, Vec v) { return u * v; }, p, dp);
                    kernels::map(
                        cols, out.data + r * cols, out.write,
                        [d = kernels::splat(dot)](Vec u, Vec v) { return u * (v - d); }, p, dp);
                  });
                });
}

// y_i = x_i - max x - ln sum_j exp(x_j - max x)
//     dx_i = dy_i - exp(y_i) sum_j dy_j
Tensor log_softmax(const Tensor& x) {
  check(x.shape().rank() >= 1, "log_softmax: x needs at least one axis, got ", x.shape());
  const Tensor y = Tensor::uninitialized(x.shape());
  const Index cols = x.shape().cols(), rows = cols == 0 ? 0 : x.shape().rows();
  kernels::parallel_rows(rows, cols, [&](Index r) {
    real* const out = y.mutable_data() + r * cols;
    const auto [max, sum] = kernels::exp_row(cols, x.data() + r * cols, out);
    kernels::map(
        cols, out, kernels::Write::overwrite,
        [m = kernels::splat(max), l = kernels::splat(std::log(sum))](Vec u) { return (u - m) - l; },
        x.data() + r * cols);
  });
  return record(
      Op::log_softmax, y, {x.gradient()}, [rows, cols, y, dx = x.gradient()](const Tensor& dy) {
        const GradientDestination out = dx.destination();
        kernels::parallel_rows(rows, cols, [&](Index r) {
          const double total = kernels::sum(cols, dy.data() + r * cols);
          kernels::map(
              cols, out.data + r * cols, out.write,
              [t = kernels::splat(total)](Vec u, Vec v) { return v - kernels::exp(u) * t; },
              y.data() + r * cols, dy.data() + r * cols);
        });
      });
}

}  // namespace engine
