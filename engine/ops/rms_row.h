// One row of n elements divided by its root mean square, forward and backward, for rms_norm.cpp
// (which derives the formulas) and qk_norm.cpp.
#pragma once

#include <cmath>

#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"

namespace engine {

// y_i = w_i x_i r. Returns r = 1 / sqrt(mean x^2 + epsilon).
inline real rms_row(Index n, const real* x, const real* w, double epsilon, real* y) {
  using kernels::Vec;
  const double squares = kernels::sum_of(
      n, [](Vec v) { return v * v; }, x);
  const auto r = static_cast<real>(1 / std::sqrt(squares / static_cast<double>(n) + epsilon));
  kernels::map(
      n, y, kernels::Write::overwrite, [s = kernels::splat(r)](Vec v, Vec u) { return v * s * u; },
      x, w);
  return r;
}

// dw_i (+)= dy_i x_i r
inline void rms_row_weight_backward(Index n, const real* x, real r, const real* dy, real* dw,
                                    kernels::Write write) {
  using kernels::Vec;
  kernels::map(
      n, dw, write, [s = kernels::splat(r)](Vec v, Vec g) { return g * v * s; }, x, dy);
}

// dx_i (+)= r (g_i - x_i r^2 mean(g x)),   g_i = dy_i w_i
inline void rms_row_backward(Index n, const real* x, const real* w, real r, const real* dy,
                             real* dx, kernels::Write write) {
  using kernels::Vec;
  const double gx = kernels::sum_of(
      n, [](Vec v, Vec g, Vec u) { return g * u * v; }, x, dy, w);
  const double pull = double(r) * double(r) * gx / static_cast<double>(n);
  kernels::map(
      n, dx, write,
      [s = kernels::splat(r), b = kernels::splat(pull)](Vec v, Vec g, Vec u) {
        return s * (g * u - v * b);
      },
      x, dy, w);
}

}  // namespace engine
