#include "engine/broadcast.h"

#include "engine/kernels/reduce.h"

namespace engine {

Tensor sum_to(Tensor t, const Shape& shape) {
  // One axis at a time, first to last: (outer, n, inner) -> (outer, inner).
  for (int i = t.shape().rank(); i >= 1; --i) {
    if (t.shape().from_end(i) == shape.from_end(i)) continue;
    const int axis = t.shape().rank() - i;
    Tensor summed = Tensor::uninitialized(t.shape().with(axis, 1));
    kernels::sum_middle(t.data(), t.shape().product(0, axis), t.shape()[axis],
                        t.shape().product(axis + 1, t.shape().rank()), summed.mutable_data());
    t = summed;
  }
  return t.shape() == shape ? t : t.reshape(shape);
}

detail::RowWalk::RowWalk(const Shape& x, const Shape& to)
    : to_(to), repeats_element_(x.cols() == 1 && to.cols() != 1) {
  Index step = x.cols();
  for (int i = 2; i <= x.rank(); ++i) {
    step_[i - 1] = x.from_end(i) == 1 ? 0 : step;
    step *= x.from_end(i);
  }
}

Index detail::RowWalk::offset(Index row) const {
  Index offset = 0;
  for (int i = 2; i <= to_.rank(); ++i) {
    offset += row % to_.from_end(i) * step_[i - 1];
    row /= to_.from_end(i);
  }
  return offset;
}

}  // namespace engine
