// The row kernels that softmax, cross-entropy and attention share.
#pragma once

#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"
#include "engine/kernels/vector_math.h"

namespace engine::kernels {

// The largest of x[0..n), n >= 1.
inline real max_of(Index n, const real* x) {
  Vec most = broadcast(x[0]);
  Index i = 0;
  for (; i + lanes <= n; i += lanes) most = max(load(x + i), most);
  if (i < n) most = select(first_lanes(n - i), max(load_part(x + i, n - i), most), most);
  return reduce_max(most);
}

struct RowExp {
  real max, sum;
};

// y_i = exp(x_i - max x); returns max x and sum y. Shifting by the maximum keeps exp from
// overflowing, whatever the logits. y may be x. n >= 1.
inline RowExp exp_row(Index n, const real* x, real* y) {
  const real most = max_of(n, x);
  map(
      n, y, Write::overwrite, [m = broadcast(most)](Vec v) { return exp(v - m); }, x);
  return {most, static_cast<real>(sum(n, y))};
}

// sum of exp(x_i - max), in double.
inline double sum_exp(Index n, const real* x, real max) {
  return sum_of(
      n, [m = broadcast(max)](Vec v) { return exp(v - m); }, x);
}

inline void scale_row(Index n, real* x, real factor) {
  map(
      n, x, Write::overwrite, [f = broadcast(factor)](Vec v) { return v * f; }, x);
}

}  // namespace engine::kernels
