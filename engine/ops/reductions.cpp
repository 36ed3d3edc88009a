// Sums, means, variances and maxima, of all elements or along an axis. Along an axis of size n, x
// is viewed as (outer, n, inner) and the result as (outer, inner).

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {
namespace {

// A shape seen as (outer, n, inner), with the reduced axis in the middle. `result`: the shape of
// the reduction; `kept`: the shape with that axis in size 1. Errors begin with `op`.
struct AxisView {
  AxisView(const char* op, const Shape& shape, int which, bool keep)
      : axis(shape.axis(op, which)),
        outer(shape.product(0, axis)),
        n(shape[axis]),
        inner(shape.product(axis + 1, shape.rank())),
        kept(shape.with(axis, 1)),
        result(keep ? kept : shape.without(axis)) {}
  int axis;
  Index outer, n, inner;
  Shape kept, result;
};

Tensor sum_along(const Tensor& x, const AxisView& v) {
  Tensor y = Tensor::uninitialized(v.result);
  kernels::sum_middle(x.data(), v.outer, v.n, v.inner, y.mutable_data());
  return y;
}

// Broadcasts `slices`, which has one number per slice along the reduced axis, back to `shape`.
Tensor expand(const Tensor& slices, const Shape& kept, const Shape& shape) {
  return Tensor::zeros(shape) + slices.reshape(kept);
}

Tensor flat(const Tensor& x) { return x.reshape(Shape{x.size()}); }

// Reduces one axis after another, the last first, so that the others keep their numbers.
Tensor over_axes(const char* op, Tensor (*reduce)(const Tensor&, int, bool), Tensor x,
                 std::initializer_list<int> axes, bool keep) {
  check(axes.size() > 0, op, ": no axes");
  std::array<bool, Shape::max_rank> listed{};
  for (const int given : axes) {
    const int axis = x.shape().axis(op, given);
    check(!at(listed, axis), op, ": axis ", axis, " of shape ", x.shape(), " is listed twice");
    at(listed, axis) = true;
  }
  for (int axis = x.shape().rank() - 1; axis >= 0; --axis)
    if (at(listed, axis)) x = reduce(x, axis, keep);
  return x;
}

// For each (outer, inner) the index along the axis of the first maximum, or of the first NaN.
std::vector<Id> first_maxima(const char* op, const Tensor& x, const AxisView& v) {
  check(v.n > 0, op, ": axis ", v.axis, " of shape ", x.shape(), " has no elements");
  std::vector<Id> best(unsigned_size(v.outer * v.inner));
  kernels::parallel_rows(v.outer * v.inner, v.n, [&](Index r) {
    const real* const from = x.data() + r / v.inner * v.n * v.inner + r % v.inner;
    Index first = 0;
    for (Index k = 1; k < v.n && !std::isnan(from[first * v.inner]); ++k)
      if (!(from[k * v.inner] <= from[first * v.inner])) first = k;
    at(best, r) = static_cast<Id>(first);
  });
  return best;
}

}  // namespace

// y = sum_k x_k
//     dx_k = dy
Tensor sum(const Tensor& x, int axis, bool keep) {
  const AxisView v("sum", x.shape(), axis, keep);
  return record(Op::sum, sum_along(x, v), {x.gradient()},
                [kept = v.kept, dx = x.gradient()](const Tensor& dy) {
                  dx.accumulate(expand(dy, kept, dx.shape()));
                });
}

// y = sum_k x_k / n
//     dx_k = dy / n
Tensor mean(const Tensor& x, int axis, bool keep) {
  const AxisView v("mean", x.shape(), axis, keep);
  const auto n = static_cast<double>(v.n);
  const Tensor y = sum_along(x, v) / n;
  return record(Op::mean, y, {x.gradient()},
                [n, kept = v.kept, dx = x.gradient()](const Tensor& dy) {
                  dx.accumulate(expand(dy / n, kept, dx.shape()));
                });
}

// y = sum_k (x_k - m)^2 / d,  m the mean of x,  d = max(0, n - correction)
//     dx_k = dy 2 (x_k - m) / d
// (dm/dx_k contributes 0, since sum_k (x_k - m) = 0)
Tensor variance(const Tensor& x, int axis, bool keep, int correction) {
  const AxisView v("variance", x.shape(), axis, keep);
  const double n = static_cast<double>(v.n), divisor = std::max(0.0, n - correction);
  // Of x's values, so that only the variance is recorded, not its steps.
  const Tensor distance = x.detach() - sum_along(x, v).reshape(v.kept) / n;
  const Tensor y = sum_along(distance * distance, v) / divisor;
  return record(Op::variance, y, {x.gradient()},
                [distance, divisor, kept = v.kept, dx = x.gradient()](const Tensor& dy) {
                  dx.accumulate(distance * (dy.reshape(kept) * (2 / divisor)));
                });
}

// y = max_k x_k
//     dx_k = dy at the first k where x_k = y, 0 elsewhere
Tensor max(const Tensor& x, int axis, bool keep) {
  const AxisView v("max", x.shape(), axis, keep);
  const Tensor y = Tensor::uninitialized(v.result);
  std::vector<Id> best = first_maxima("max", x, v);
  const auto element = [n = v.n, inner = v.inner](Index r, Index k) {
    return (r / inner * n + k) * inner + r % inner;
  };
  for (Index r = 0; r < y.size(); ++r) y.mutable_data()[r] = x.data()[element(r, at(best, r))];
  return record(Op::max, y, {x.gradient()},
                [element, best = std::move(best), dx = x.gradient()](const Tensor& dy) {
                  real* const sum = dx.data_or_zeros();
                  for (Index r = 0; r < dy.size(); ++r)
                    sum[element(r, at(best, r))] += dy.data()[r];
                });
}

std::vector<Id> argmax(const Tensor& x, int axis) {
  return first_maxima("argmax", x, AxisView("argmax", x.shape(), axis, false));
}

Tensor sum(const Tensor& x) { return sum(flat(x), 0); }
Tensor mean(const Tensor& x) { return mean(flat(x), 0); }
Tensor sum(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  return over_axes("sum", sum, x, axes, keep);
}
Tensor mean(const Tensor& x, std::initializer_list<int> axes, bool keep) {
  return over_axes("mean", mean, x, axes, keep);
}
Tensor max(const Tensor& x) { return max(flat(x), 0); }

// min x = -max(-x), so the gradient goes to the first minimum.
Tensor min(const Tensor& x) { return -max(-x); }
Tensor min(const Tensor& x, int axis, bool keep) { return -max(-x, axis, keep); }

// The gradient of equal values is 0, as in PyTorch; that of sqrt at 0 is infinite.
Tensor standard_deviation(const Tensor& x, int axis, bool keep, int correction) {
  const Tensor y = variance(x, axis, keep, correction);
  const Mask equal = y == 0;
  return where(equal, 0, sqrt(where(equal, 1, y)));
}

Tensor mean_squared_error(const Tensor& x, const Tensor& y) {
  check(x.shape() == y.shape(), "mean_squared_error: x ", x.shape(), " and y ", y.shape(),
        " need the same shape");
  const Tensor difference = x - y;
  return mean(difference * difference);
}

}  // namespace engine
