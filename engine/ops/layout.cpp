// Ops that move elements without changing them. Each backward moves the gradient back.

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reduce.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::Vec;
using kernels::Write;

using Axes = std::array<int, Shape::max_rank>;

// Axis i of the result is axis axes[i] of x.
Tensor permuted(const Tensor& x, const Axes& axes) {
  const int rank = x.shape().rank();
  std::array<Index, Shape::max_rank> sizes{}, steps{};
  for (int i = 0; i < rank; ++i) {
    const int from = at(axes, i);
    at(sizes, i) = x.shape()[from];
    at(steps, i) = x.shape().product(from + 1, rank);
  }
  Tensor y = Tensor::uninitialized(Shape(std::span(sizes).first(unsigned_size(rank))));
  const Index cols = y.shape().cols();
  const Index step = rank == 0 ? 1 : at(steps, rank - 1);
  kernels::parallel_rows(y.shape().rows(), cols, [&](Index row) {
    real* const to = y.mutable_data() + row * cols;
    const real* from = x.data();
    for (int i = rank - 2; i >= 0; --i) {
      from += row % at(sizes, i) * at(steps, i);
      row /= at(sizes, i);
    }
    for (Index j = 0; j < cols; ++j) to[j] = from[j * step];
  });
  return y;
}

// Copies `count` blocks of `block` elements: block i from (from + i from_step) to (to + i to_step).
void copy_blocks(Index count, Index block, const real* from, Index from_step, real* to,
                 Index to_step) {
  kernels::parallel_rows(
      count, block, [&](Index i) { std::copy_n(from + i * from_step, block, to + i * to_step); });
}

}  // namespace

// y[i_axes[0], i_axes[1], ...] = x[i_0, i_1, ...]
//     dx = dy permuted by the inverse permutation
Tensor permute(const Tensor& x, std::initializer_list<int> order) {
  const int rank = x.shape().rank();
  check(static_cast<int>(order.size()) == rank, "permute: shape ", x.shape(), " has ",
        counted(rank, "axis", "axes"), " for an order of ", order.size());
  Axes axes{}, inverse{};
  std::array<bool, Shape::max_rank> seen{};
  int i = 0;
  for (const int given : order) {
    const int axis = x.shape().axis("permute", given);
    check(!at(seen, axis), "permute: axis ", axis, " of shape ", x.shape(), " is listed twice");
    at(seen, axis) = true;
    at(axes, i) = axis;
    at(inverse, axis) = i++;
  }
  return record(
      Op::permute, permuted(x, axes), {x.gradient()},
      [inverse, dx = x.gradient()](const Tensor& dy) { dx.accumulate(permuted(dy, inverse)); });
}

Tensor transpose(const Tensor& x, int axis, int other) {
  const int i = x.shape().axis("transpose", axis), j = x.shape().axis("transpose", other);
  Axes axes = {0, 1, 2, 3};
  std::swap(at(axes, i), at(axes, j));
  return record(Op::permute, permuted(x, axes), {x.gradient()},
                [axes, dx = x.gradient()](const Tensor& dy) { dx.accumulate(permuted(dy, axes)); });
}

// y = [x_1, x_2, ...] along an axis
//     dx_i = the slice of dy at the position of x_i
Tensor concat(std::span<const Tensor> parts, int which) {
  check(!parts.empty(), "concat: no tensors");
  const Shape& first = parts[0].shape();
  const int axis = first.axis("concat", which);
  Index total = 0;
  for (const Tensor& part : parts) {
    check(part.shape().rank() == first.rank() && part.shape().with(axis, 1) == first.with(axis, 1),
          "concat: shapes ", first, " and ", part.shape(), " differ in more than axis ", axis);
    total = first.with(axis, total + part.shape()[axis])[axis];  // an Error if that is too large
  }
  const Tensor y = Tensor::uninitialized(first.with(axis, total));
  const Index outer = first.product(0, axis), inner = first.product(axis + 1, first.rank());
  Index begin = 0;
  std::vector<Gradient> inputs;
  for (const Tensor& part : parts) {
    const Index block = part.shape()[axis] * inner;
    copy_blocks(outer, block, part.data(), block, y.mutable_data() + begin, total * inner);
    begin += block;
    inputs.push_back(part.gradient());
  }
  return record(Op::concat, y, std::span<const Gradient>(inputs), [axis, inputs](const Tensor& dy) {
    Index from = 0;
    for (const Gradient& dx : inputs) {
      const Index to = from + dx.shape()[axis];
      if (dx) dx.accumulate(slice(dy, axis, from, to));
      from = to;
    }
  });
}

Tensor concat(std::initializer_list<Tensor> parts, int axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}

Tensor stack(std::span<const Tensor> parts, int axis) {
  check(!parts.empty(), "stack: no tensors");
  // A negative axis counts from the end of the result, which has one axis more.
  const int new_axis = parts[0].shape().inserted(0, 1).axis("stack", axis);
  std::vector<Tensor> slices;
  for (const Tensor& part : parts) {
    check(part.shape() == parts[0].shape(), "stack: shapes ", parts[0].shape(), " and ",
          part.shape(), " differ");
    slices.push_back(part.reshape(part.shape().inserted(new_axis, 1)));
  }
  return concat(slices, new_axis);
}

Tensor stack(std::initializer_list<Tensor> parts, int axis) {
  return stack(std::span(parts.begin(), parts.size()), axis);
}

// y = x[..., begin : end, ...]
//     dx = dy in [begin, end), 0 elsewhere
Tensor slice(const Tensor& x, int which, Index first, Index last) {
  const int axis = x.shape().axis("slice", which);
  const Index n = x.shape()[axis];
  const Index begin = first < 0 ? first + n : first, end = last < 0 ? last + n : last;
  check(0 <= begin && begin <= end && end <= n, "slice: [", first, ", ", last, ") is not within [",
        -n, ", ", n, "), axis ", axis, " of shape ", x.shape());
  const Index outer = x.shape().product(0, axis);
  const Index inner = x.shape().product(axis + 1, x.shape().rank());
  const Index block = (end - begin) * inner, step = n * inner, offset = begin * inner;
  const Tensor y = Tensor::uninitialized(x.shape().with(axis, end - begin));
  copy_blocks(outer, block, x.data() + offset, step, y.mutable_data(), block);
  return record(Op::slice, y, {x.gradient()},
                [outer, block, step, offset, dx = x.gradient()](const Tensor& dy) {
                  real* const sum = dx.data_or_zeros() + offset;
                  kernels::parallel_rows(outer, block, [&](Index i) {
                    kernels::map(
                        block, sum + i * step, Write::add, [](Vec v) { return v; },
                        dy.data() + i * block);
                  });
                });
}

std::vector<Tensor> chunk(const Tensor& x, Index count, int which) {
  const int axis = x.shape().axis("chunk", which);
  const Index n = x.shape()[axis];
  check(count >= 1, "chunk: ", count, " chunks, expected at least 1");
  const Index size = std::max<Index>(1, ceil_div(n, count));
  std::vector<Tensor> parts;
  for (Index begin = 0; begin < n || parts.empty(); begin += size)
    parts.push_back(slice(x, axis, begin, std::min(begin + size, n)));
  return parts;
}

Tensor select(const Tensor& x, int which, Index index) {
  const int axis = x.shape().axis("select", which);
  const Index n = x.shape()[axis];
  check(-n <= index && index < n, "select: index ", index, " is not within [", -n, ", ", n,
        "), axis ", axis, " of shape ", x.shape());
  const Index begin = index < 0 ? index + n : index;
  return slice(x, axis, begin, begin + 1).reshape(x.shape().without(axis));
}

Tensor Tensor::operator[](Index index) const { return select(*this, 0, index); }

// y[..., t n_i + k, ...] = x[..., k, ...] for t = 0 .. times_i - 1, on every axis i
//     dx[..., k, ...] = sum over all t of dy[..., t n_i + k, ...]
Tensor repeat(const Tensor& x, std::span<const Index> times) {
  const int rank = static_cast<int>(times.size());
  check(rank >= x.shape().rank() && rank <= Shape::max_rank, "repeat: ", rank, " counts for shape ",
        x.shape(), ", expected ", x.shape().rank(), " to ", Shape::max_rank);
  Shape shape = x.shape();
  while (shape.rank() < rank) shape = shape.inserted(0, 1);
  // Axis by axis, the last first: (outer, block) -> (outer, times, block).
  struct Step {
    Index outer, times, block;
    Shape before;
  };
  std::vector<Step> steps;
  Tensor y = x.reshape(shape).detach();
  for (int axis = rank - 1; axis >= 0; --axis) {
    const Index count = at(times, axis);
    Index size = 0;
    check(count >= 0 && !__builtin_mul_overflow(shape[axis], count, &size), "repeat: count ", count,
          " for axis ", axis, " of shape ", shape,
          ", expected 0 or more, with a result that fits an Index");
    if (count == 1) continue;
    const Step step{y.shape().product(0, axis), count, y.shape().product(axis, rank), y.shape()};
    const Tensor next = Tensor::uninitialized(y.shape().with(axis, size));
    for (Index t = 0; t < count && next.size() > 0; ++t)
      copy_blocks(step.outer, step.block, y.data(), step.block,
                  next.mutable_data() + t * step.block, count * step.block);
    y = next;
    steps.push_back(step);
  }
  if (steps.empty()) y = y.clone();  // nothing is repeated: still a copy, not x's own memory
  return record(Op::repeat, y, {x.gradient()}, [steps, dx = x.gradient()](const Tensor& dy) {
    Tensor sum = dy;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      const Tensor folded = Tensor::uninitialized(step->before);
      kernels::sum_middle(sum.data(), step->outer, step->times, step->block, folded.mutable_data());
      sum = folded;
    }
    dx.accumulate(sum.reshape(dx.shape()));
  });
}

Tensor repeat(const Tensor& x, std::initializer_list<Index> times) {
  return repeat(x, std::span(times.begin(), times.size()));
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  check(broadcast("broadcast_to", x.shape(), shape) == shape, "broadcast_to: x ", x.shape(),
        " does not broadcast to ", shape);
  std::array<Index, Shape::max_rank> times{};
  for (int i = 1; i <= shape.rank(); ++i)
    at(times, shape.rank() - i) = x.shape().from_end(i) == 1 ? shape.from_end(i) : 1;
  return repeat(x, std::span(times).first(unsigned_size(shape.rank())));
}

}  // namespace engine
