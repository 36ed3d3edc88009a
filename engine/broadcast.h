// NumPy's broadcasting: map_broadcast repeats operands in forward, sum_to sums over the repetitions
// in backward. So derivative rules need not handle broadcasting.
#pragma once

#include "engine/kernels/elementwise.h"
#include "engine/tensor.h"

namespace engine {

// The gradient of broadcasting: t summed down to `shape`. If x was repeated along some axes to give
// y, then dx = sum_to(dy, x.shape()) sums dy over these axes. Returns t if the shapes are equal.
Tensor sum_to(Tensor t, const Shape& shape);

namespace detail {
// offset(r): where in x the row begins that row r of the broadcast shape `to` reads. x (3, 1, 4) to
// (3, 2, 4): 0 0 4 4 8 8. Steps are 0 on repeated axes.
class RowWalk {
 public:
  RowWalk(const Shape& x, const Shape& to);
  Index offset(Index row) const;  // in x, of the first element to read for this row of `to`
  bool repeats_element() const { return repeats_element_; }  // last axis: size 1 in x, not in `to`

 private:
  Shape to_;
  Index step_[Shape::max_rank] = {};
  bool repeats_element_;
};
}  // namespace detail

// y = f(a, b) element by element, a and b broadcast against each other. f takes and returns Vec.
template <class F>
Tensor map_broadcast(const char* op, F f, const Tensor& a, const Tensor& b) {
  using namespace kernels;
  Tensor y = Tensor::uninitialized(broadcast(op, a.shape(), b.shape()));
  if (a.shape() == b.shape()) {
    parallel_map(y.size(), y.mutable_data(), Write::overwrite, f, a.data(), b.data());
    return y;
  }
  const detail::RowWalk walk_a(a.shape(), y.shape()), walk_b(b.shape(), y.shape());
  const Index cols = y.shape().cols();
  parallel_rows(y.shape().rows(), cols, [&](Index row) {
    real* const out = y.mutable_data() + row * cols;
    const real* const x = a.data() + walk_a.offset(row);
    const real* const z = b.data() + walk_b.offset(row);
    if (walk_a.repeats_element()) {
      map(
          cols, out, Write::overwrite, [&f, v = kernels::splat(*x)](Vec w) { return f(v, w); }, z);
    } else if (walk_b.repeats_element()) {
      map(
          cols, out, Write::overwrite, [&f, w = kernels::splat(*z)](Vec v) { return f(v, w); }, x);
    } else {
      map(cols, out, Write::overwrite, f, x, z);
    }
  });
  return y;
}

}  // namespace engine
