// Layer normalization (Ba, Kiros and Hinton, 2016) along the last axis, C wide:
//
//     y_i = w_i h_i + b_i,   h_i = (x_i - mean x) r,   r = 1 / sqrt(var x + epsilon)
//
// where var divides by C. Every h_i depends on every x_j, through the mean and through r. Their
// derivatives with respect to x_j are 1 / C and -r^2 h_j / C. So dh_i/dx_j is
// r ([i = j] - 1/C - h_i h_j / C), where [i = j] is 1 if i = j, else 0. With g_i = dy_i w_i,
// dx_j = sum_i g_i dh_i/dx_j is
//
//     dx_j = r (g_j - mean g - h_j mean(g h))
//     dw_i = sum over rows of dy_i h_i,   db_i = sum over rows of dy_i
//
// Saved for backward: x, w, and mean and r of each row.

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"
#include "engine/ops.h"
#include "engine/ops/row_chunks.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::splat;
using kernels::Vec;
using kernels::Write;

struct RowMoments {
  real mean, r;
  // x -> h
  auto normal() const {
    return [m = splat(mean), s = splat(r)](Vec v) { return (v - m) * s; };
  }
};

RowMoments moments(Index n, const real* x, double epsilon) {
  const double mean = kernels::sum(n, x) / static_cast<double>(n);
  // With m, the mean rounded to real: sum (x - mean)^2 = sum (x - m)^2 - n (mean - m)^2.
  const real m = static_cast<real>(mean);
  const double squares = kernels::sum_of(
      n, [c = splat(m)](Vec v) { return (v - c) * (v - c); }, x);
  const double d = mean - static_cast<double>(m);
  const double variance = std::max(0.0, squares / static_cast<double>(n) - d * d);
  return {m, static_cast<real>(1 / std::sqrt(variance + epsilon))};
}

// y = w h + b; b may be null.
void forward_row(Index n, const real* x, const RowMoments& row, const real* w, const real* b,
                 real* y) {
  const auto normal = row.normal();
  if (b != nullptr)
    kernels::map(
        n, y, Write::overwrite,
        [normal](Vec v, Vec u, Vec c) { return kernels::fma(normal(v), u, c); }, x, w, b);
  else
    kernels::map(
        n, y, Write::overwrite, [normal](Vec v, Vec u) { return normal(v) * u; }, x, w);
}

// dw (+)= dy h
void backward_row_of_weight(Index n, const real* x, const RowMoments& row, const real* dy, real* dw,
                            Write write) {
  kernels::map(
      n, dw, write, [normal = row.normal()](Vec v, Vec g) { return g * normal(v); }, x, dy);
}

// dx (+)= r (g - mean g - h mean(g h)),   g = dy w
void backward_row(Index n, const real* x, const RowMoments& row, const real* w, const real* dy,
                  real* dx, Write write) {
  const auto normal = row.normal();
  const double g_mean = kernels::sum_of(
                            n, [](Vec d, Vec u) { return d * u; }, dy, w) /
                        static_cast<double>(n);
  const double gh_mean =
      kernels::sum_of(
          n, [normal](Vec v, Vec d, Vec u) { return d * u * normal(v); }, x, dy, w) /
      static_cast<double>(n);
  kernels::map(
      n, dx, write,
      [normal, r = splat(row.r), a = splat(g_mean), b = splat(gh_mean)](Vec v, Vec d, Vec u) {
        return r * (d * u - a - normal(v) * b);
      },
      x, dy, w);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon) {
  const Index rows = x.shape().rows(), cols = x.shape().cols();
  check(x.shape().rank() >= 1, "layer_norm: x needs at least one axis, got ", x.shape());
  check(weight.shape() == Shape{cols}, "layer_norm: x ", x.shape(), " has ",
        counted(cols, "channel"), " but weight has shape ", weight.shape());
  check(!bias || bias.shape() == weight.shape(), "layer_norm: weight ", weight.shape(), " has ",
        counted(cols, "channel"), " but bias has shape ", bias.shape());
  const Tensor y = Tensor::uninitialized(x.shape());
  const Tensor saved = Tensor::uninitialized({rows, 2});
  kernels::parallel_rows(rows, cols, [&](Index row) {
    const real* const in = x.data() + row * cols;
    const RowMoments of_row = moments(cols, in, epsilon);
    saved.mutable_data()[2 * row] = of_row.mean;
    saved.mutable_data()[2 * row + 1] = of_row.r;
    forward_row(cols, in, of_row, weight.data(), bias ? bias.data() : nullptr,
                y.mutable_data() + row * cols);
  });

  return record(Op::layer_norm, y, {x.gradient(), weight.gradient(), bias.gradient()},
                [rows, cols, x, weight, saved, dx = x.gradient(), dw = weight.gradient(),
                 db = bias.gradient()](const Tensor& dy) {
                  const GradientDestination out = dx ? dx.destination() : GradientDestination{};
                  sum_over_rows(rows, {dw, db}, [&](Index row, Write write, const auto& part) {
                    const real *const in = x.data() + row * cols, *const g = dy.data() + row * cols;
                    const RowMoments of_row{saved.data()[2 * row], saved.data()[2 * row + 1]};
                    if (dw) backward_row_of_weight(cols, in, of_row, g, part[0], write);
                    if (db)
                      kernels::map(
                          cols, part[1], write, [](Vec u) { return u; }, g);
                    if (dx)
                      backward_row(cols, in, of_row, weight.data(), g, out.data + row * cols,
                                   out.write);
                  });
                });
}

}  // namespace engine
