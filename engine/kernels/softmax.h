// Row kernels shared by softmax, cross-entropy and attention.
#pragma once

#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"
#include "engine/kernels/vector_math.h"

namespace engine::kernels {

// The maximum of x_i for i in [0, n), n >= 1.
inline real max_of(Index n, const real* x) {
  Vec largest = splat(x[0]);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) largest = max(load(x + i), largest);
  if (i < n) largest = select(first_lanes(n - i), max(load_part(x + i, n - i), largest), largest);
  return reduce_max(largest);
}

struct RowExp {
  real max, sum;
};

// The numerators of softmax: y_i = exp(x_i - max x) for n >= 1 elements. Returns max x and sum y.
// Subtracting the maximum prevents overflow. y may be x.
inline RowExp exp_row(Index n, const real* x, real* y) {
  const real row_max = max_of(n, x);
  map(
      n, y, Write::overwrite, [m = splat(row_max)](Vec v) { return exp(v - m); }, x);
  return {row_max, static_cast<real>(sum(n, y))};
}

// sum of exp(x_i - max), in double.
inline double sum_exp(Index n, const real* x, real max) {
  return sum_of(
      n, [m = splat(max)](Vec v) { return exp(v - m); }, x);
}

// x_i = factor x_i for i in [0, n).
inline void scale_row(Index n, real* x, real factor) {
  map(
      n, x, Write::overwrite, [f = splat(factor)](Vec v) { return v * f; }, x);
}

}  // namespace engine::kernels
