// Elements picked by ids, and ids found by sorting.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/elementwise.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {

// Along axis 1 of three: y[i, j, k] = x[i, ids[i, j, k], k]
//     dx[i, v, k] = sum of dy[i, j, k] over all j with ids[i, j, k] = v
// An id may occur more than once, so backward adds one element after another.
Tensor gather(const Tensor& x, int which, std::span<const Id> ids, const Shape& shape) {
  const Shape& from = x.shape();
  const int axis = from.axis("gather", which), rank = from.rank();
  check(shape.rank() == rank, "gather: x ", from, " has ", rank, " axes but ids of shape ", shape,
        " have ", shape.rank());
  check(std::ssize(ids) == shape.size(), "gather: shape ", shape, " has ",
        counted(shape.size(), "element"), " for ", counted(std::ssize(ids), "id"));
  for (int i = 0; i < rank; ++i)
    check(i == axis || shape[i] <= from[i], "gather: ids of shape ", shape, " are longer than x ",
          from, " along axis ", i, ": ", shape[i], " against ", from[i]);
  std::vector<Index> picked(ids.size());  // the place in x of each element of y
  for (Index t = 0; t < shape.size(); ++t) {
    const Id id = at(ids, t);
    check(0 <= id && id < from[axis], "gather: id ", id, " at position ", t, ", axis ", axis,
          " of x ", from, " has ", from[axis], " entries");
    Index place = 0;
    for (int i = 0; i < rank; ++i) {
      const Index along = t / shape.product(i + 1, rank) % shape[i];
      place = place * from[i] + (i == axis ? id : along);
    }
    at(picked, t) = place;
  }
  const Tensor y = Tensor::uninitialized(shape);
  std::ranges::transform(picked, y.mutable_data(), [&x](Index i) { return x.data()[i]; });
  return record(Op::gather, y, {x.gradient()},
                [picked = std::move(picked), dx = x.gradient()](const Tensor& dy) {
                  real* const sum = dx.data_or_zeros();
                  for (Index t = 0; t < dy.size(); ++t) sum[at(picked, t)] += dy.data()[t];
                });
}

Tensor one_hot(std::span<const Id> ids, Index classes) {
  const Tensor y = Tensor::zeros({std::ssize(ids), classes});
  for (Index t = 0; t < std::ssize(ids); ++t) {
    const Id id = at(ids, t);
    check(0 <= id && id < classes, "one_hot: id ", id, " at position ", t, ", expected 0 to ",
          classes - 1);
    y.mutable_data()[t * classes + id] = 1;
  }
  return y;
}

namespace {

// The first k of each row, sorted; equal values in the order of their places.
Sorted first_of_sorted(const char* op, const Tensor& x, Index k, bool descending) {
  check(x.shape().rank() >= 1, op, ": x needs at least one axis, got ", x.shape());
  const Index cols = x.shape().cols(), rows = cols == 0 ? 0 : x.shape().rows();
  check(0 <= k && k <= cols, op, ": k ", k, ", but rows of ", cols, ": expected 0 <= k <= ", cols);
  const Shape shape = x.shape().with(x.shape().rank() - 1, k);
  std::vector<Id> ids(unsigned_size(shape.size()));
  kernels::parallel_rows(rows, cols, [&](Index r) {
    const real* const row = x.data() + r * cols;
    const auto is_before = [&](Id i, Id j) {
      const real a = row[descending ? i : j], b = row[descending ? j : i];
      if (a > b || (std::isnan(a) && !std::isnan(b))) return true;
      return !(b > a || (std::isnan(b) && !std::isnan(a))) && i < j;
    };
    std::vector<Id> order(unsigned_size(cols));
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.data(), order.data() + k, order.data() + cols, is_before);
    std::copy_n(order.data(), k, ids.data() + r * k);
  });
  return {gather(x, -1, ids, shape), ids};
}

}  // namespace

Sorted sort(const Tensor& x, bool descending) {
  return first_of_sorted("sort", x, x.shape().cols(), descending);
}

Sorted topk(const Tensor& x, Index k) { return first_of_sorted("topk", x, k, true); }

}  // namespace engine
