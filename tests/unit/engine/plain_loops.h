// What the tests of forward values share: plain loops over a definition, in long double.
//
// Tolerances: eps = 2^-23 (float) or 2^-52 is the most by which one operation can be off, relative
// to its result. A sum of n terms is off by at most n eps times the sum of the terms' sizes; the
// functions of vector_math.h by 2 eps (tanh 3). Each check adds up what its definition goes
// through.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/op.h"
#include "engine/ops.h"
#include "tests/catch.h"

namespace plain {

using namespace engine;

using Exact = long double;
using At = std::array<Index, Shape::max_rank>;  // an element's place, one number for each axis
inline constexpr Exact eps = std::numeric_limits<real>::epsilon();

struct Value {
  Exact exact, tolerance;
  Value(Exact exact_, Exact tolerance_ = 0) : exact(exact_), tolerance(tolerance_) {}
};

// Of two operands and a result.
struct Shapes {
  Shape a, b, y;
};

// A tensor with memory that starts one element after an aligned address.
inline Tensor input(const Shape& shape, double low = -2, double high = 2) {
  static Generator generator(1);
  const Tensor x = Tensor::on(Buffer(shape.size() + 1).part(1, shape.size()), shape);
  generator.uniform(x.mutable_values(), low, high);
  return x;
}

// x at a place of a shape to which it is broadcast.
inline Exact get(const Tensor& x, const At& at, int rank) {
  Index offset = 0;
  for (int axis = 0; axis < x.shape().rank(); ++axis) {
    const Index i = at[static_cast<std::size_t>(axis + rank - x.shape().rank())];
    offset = offset * x.shape()[axis] + (x.shape()[axis] == 1 ? 0 : i);
  }
  return Exact(x.data()[offset]);
}
inline Exact get(const Tensor& x, const At& at) { return get(x, at, x.shape().rank()); }
Exact get(const Tensor& x, auto... at) { return get(x, At{at...}); }

// All elements, in order.
using Numbers = std::vector<double>;
inline Numbers list(const Tensor& x) { return {x.data(), x.data() + x.size()}; }

// y must have this shape, and at each place the value that `definition` gives, within tolerance.
template <class Definition>
void check_values(const std::string& what, const Tensor& y, const Shape& shape,
                  Definition definition) {
  INFO(what << " of shape " << shape);
  REQUIRE(y.shape() == shape);
  Index wrong = 0;
  for (Index i = 0; i < y.size(); ++i) {
    At at{};
    for (int axis = 0; axis < shape.rank(); ++axis)
      at[static_cast<std::size_t>(axis)] = i / shape.product(axis + 1, shape.rank()) % shape[axis];
    const Value expected = definition(at);
    const auto got = Exact(y.data()[i]);
    const bool fits = std::isnan(expected.exact)
                          ? std::isnan(got)
                          : std::abs(got - expected.exact) <= expected.tolerance;
    if (!fits && wrong++ == 0) {
      INFO("element " << i << ": " << double(got) << ", expected " << double(expected.exact)
                      << " within " << double(expected.tolerance));
      CHECK(fits);
    }
  }
  CHECK(wrong == 0);
}

inline At with(At at, int axis, Index i) {
  at[static_cast<std::size_t>(axis)] = i;
  return at;
}

inline Value sum_of(const std::vector<Exact>& row) {
  Exact sum = 0, sizes = 0;
  for (const Exact x : row) sum += x, sizes += std::abs(x);
  return {sum, Exact(row.size()) * eps * sizes};
}

inline Value mean_of(const std::vector<Exact>& row) {
  const auto [sum, tolerance] = sum_of(row);
  const Exact n = Exact(row.size()), mean = sum / n;
  return {mean, tolerance / n + eps * std::abs(mean)};
}

// Sum of squared distances from the mean, over `divisor`.
inline Value variance_of(const std::vector<Exact>& row, Exact divisor) {
  const auto [mean, off] = mean_of(row);
  Exact sum = 0, tolerance = 0;
  for (const Exact x : row) {
    const Exact d = std::abs(x - mean), d_off = off + eps * (d + std::abs(mean));
    sum += d * d;
    tolerance += 2 * d * d_off + d_off * d_off;
  }
  return {sum / divisor, (tolerance + Exact(row.size() + 2) * eps * sum) / divisor};
}

inline Value max_of(const std::vector<Exact>& row) {
  return {*std::max_element(row.begin(), row.end()), 0};
}

inline std::vector<Exact> row_at(const Tensor& x, const At& at) {
  std::vector<Exact> row;
  const int last = x.shape().rank() - 1;
  for (Index k = 0; k < x.shape()[last]; ++k) row.push_back(get(x, with(at, last, k)));
  return row;
}

// sum over k of a(k) b(k).
template <class A, class B>
Value dot(Index n, A a, B b) {
  Exact sum = 0, sizes = 0;
  for (Index k = 0; k < n; ++k) sum += a(k) * b(k), sizes += std::abs(a(k) * b(k));
  return {sum, Exact(n + 1) * eps * sizes};
}

// The checks of ops_forward_structured_test.cpp, for sizes around n.
void matmul_forms(Index n);
void permute_forms(Index n);
void concat_forms(Index n);
void slice_forms(Index n);
void repeat_forms(Index n);
void embedding_forms(Index n);
void masked_fill_forms(Index n);
void where_forms(Index n);
void gather_forms(Index n);
void dropout_forms(Index n);

}  // namespace plain
