#include "nn/muon.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/reduce.h"

namespace nn {

using engine::kernels::gemm;
using engine::kernels::matrix;
using engine::kernels::MatrixView;
using engine::kernels::MutableMatrixView;
using engine::kernels::parallel_for_each;
using engine::kernels::splat;
using engine::kernels::Vec;
using engine::kernels::Write;

namespace {

// c = a b in float32, for any precision of the run: bfloat16 is too coarse for an iterated
// Gram matrix, since its eigenvalues are squares (a run of 60 updates ends at 3.39 instead of
// 2.33). The product Q X is not iterated; it uses the precision of the run.
void product(MatrixView a, MatrixView b, MutableMatrixView c) {
  gemm(a, b, c, Write::overwrite, nullptr, engine::kernels::Precision::float32);
}

// c = a b, (n, n), for a product known to be symmetric. Computes two squares on the diagonal, each
// in the same way, and the rectangle below them, then copies the rectangle's mirror image. So only
// half of c is multiplied, plus the smallest squares.
void symmetric_product(MatrixView a, MatrixView b, MutableMatrixView c) {
  constexpr Index smallest = 16;  // smaller products take longer than they save
  const Index n = c.rows, k = a.cols, top = engine::round_up(n / 2, smallest), rest = n - top;
  if (n <= smallest) return product(a, b, c);
  symmetric_product(a.block(0, 0, top, k), b.block(0, 0, k, top), c.block(0, 0, top, top));
  symmetric_product(a.block(top, 0, rest, k), b.block(0, top, k, rest),
                    c.block(top, top, rest, rest));
  product(a.block(top, 0, rest, k), b.block(0, 0, k, top), c.block(top, 0, rest, top));
  for (Index i = top; i < n; ++i)
    for (Index j = 0; j < top; ++j) c(j, i) = c(i, j);
}

// Memory for one matrix at a time, with the names of muon.h: y = Q X (rows, cols), and A, P, Q and
// a spare matrix (n, n) for a product.
struct Workspace {
  real *y, *a, *p, *q, *spare;
  static Index size(Index largest, Index largest_square) {
    return padded(largest) + 4 * padded(largest_square);
  }
  Workspace(real* memory, Index largest, Index largest_square)
      : y(memory),
        a(y + padded(largest)),
        p(a + padded(largest_square)),
        q(p + padded(largest_square)),
        spare(q + padded(largest_square)) {}
};

// a, b and c of every step.
constexpr double steps[][3] = {
    {8.0934, -23.6204, 17.4462}, {3.6366, -2.7219, 0.5365}, {2.6613, -1.9772, 0.4526}};

double length(Index size, const real* x) {
  return std::sqrt(engine::kernels::sum_of(
      size, [](Vec v) { return v * v; }, x));
}

void multiply(Index size, double factor, real* x) {
  parallel_for_each(
      size, [f = splat(factor)](Vec& v) { v = v * f; }, x);
}

// p = a I + b A + c A A for the coefficients of a step.
void polynomial(const double (&step)[3], MatrixView a, MutableMatrixView p) {
  const Index n = p.rows;
  symmetric_product(a, a, p);
  parallel_for_each(
      n * n, [b = splat(step[1]), c = splat(step[2])](Vec u, Vec& v) { v = b * u + c * v; }, a.data,
      p.data);
  for (Index i = 0; i < n; ++i) p(i, i) += static_cast<real>(step[0]);
}

// w.y = orthogonal(values), both (rows, cols), with the names of muon.h; the values become X. A
// tall matrix is multiplied from the other side instead of being transposed: X p(X^T X) is the
// transpose of p(X^T X) X^T.
void orthogonalize(real* values, Index rows, Index cols, const Workspace& w) {
  const bool wide = rows <= cols;
  const Index n = std::min(rows, cols);
  MutableMatrixView a = matrix(w.a, n, n), p = matrix(w.p, n, n), q = matrix(w.q, n, n),
                    spare = matrix(w.spare, n, n);
  multiply(rows * cols, 1 / (length(rows * cols, values) + 1e-7), values);
  const MatrixView x = matrix(static_cast<const real*>(values), rows, cols);
  wide ? symmetric_product(x, x.transposed(), a) : symmetric_product(x.transposed(), x, a);
  const double square = length(n * n, a.data) + 1e-7;
  multiply(n * n, 1 / square, a.data);
  multiply(rows * cols, 1 / std::sqrt(square), values);

  polynomial(steps[0], a, q);  // Q is the first P
  for (std::size_t i = 1; i < std::size(steps); ++i) {
    const MatrixView previous = i == 1 ? q : p;
    symmetric_product(previous, a, spare);  // A = P A P
    symmetric_product(spare, previous, a);
    polynomial(steps[i], a, p);
    symmetric_product(p, q, spare);  // Q = P Q
    std::swap(q, spare);
  }
  const MutableMatrixView y = matrix(w.y, rows, cols);
  const MatrixView factor = q;
  wide ? gemm(factor, x, y, Write::overwrite) : gemm(x, factor, y, Write::overwrite);
}

// n x n of a matrix, n the shorter side.
Index square_of(const engine::Shape& shape) {
  const Index n = std::min(shape[0], shape[1]);
  return n * n;
}

// How many matrices are updated at once: one per thread if there is one for at least every fourth
// thread, since products of small matrices are too short to share among many threads; else one, on
// all threads.
Index matrices_at_once(Index matrices) {
  const Index threads = engine::thread_count();
  return 4 * matrices >= threads ? threads : 1;
}

}  // namespace

Muon::Muon(const std::vector<ParameterGroup>& groups, const MuonOptions& options)
    : Optimizer("Muon", groups, options.weight_decay, options.grad_clip),
      options_(options),
      m_(zeros()) {
  std::size_t parameter = 0;
  for (const ParameterGroup& group : groups)
    for (std::size_t i = 0; i < group.parameters.size(); ++i)
      add_matrices(parameter++, group.parts);
}

void Muon::add_matrices(std::size_t parameter, const std::vector<Index>& parts) {
  const engine::Shape& shape = parameters_[parameter].shape();
  engine::check(shape.rank() == 2, "Muon: parameter ", parameter, " of shape ", shape, " has ",
                shape.rank(), " axes, expected a matrix");
  Index rows = 0;
  for (const Index part : parts.empty() ? std::vector{shape[0]} : parts) {
    engine::check(part >= 0 && part <= shape[0] - rows, "Muon: parameter ", parameter, " of shape ",
                  shape, ": a part of ", engine::counted(part, "row"), ", but ",
                  engine::counted(shape[0] - rows, "row"), " left");
    matrices_.push_back({.parameter = parameter, .offset = rows * shape[1], .rows = part});
    rows += part;
  }
  engine::check(rows == shape[0], "Muon: parameter ", parameter, " of shape ", shape,
                ": its parts have ", engine::counted(rows, "row"), " in all, expected ", shape[0]);
  largest_ = std::max(largest_, shape.size());  // its parts are not larger
  largest_square_ = std::max(largest_square_, square_of(shape));
}

Index Muon::scratch_size(std::span<const engine::Shape> shapes, Index matrices) {
  Index largest = 0, largest_square = 0;
  for (const engine::Shape& shape : shapes) {
    largest = std::max(largest, shape.size());
    largest_square = std::max(largest_square, square_of(shape));
  }
  return matrices_at_once(matrices) * Workspace::size(largest, largest_square);
}

double Muon::flops(const engine::Shape& matrix) {
  const auto n = static_cast<double>(std::min(matrix[0], matrix[1]));
  const auto m = static_cast<double>(std::max(matrix[0], matrix[1]));
  // Symmetric ones: A A in each step, P A, P A P and P Q in all but one; X X^T; then Q X.
  return static_cast<double>(4 * std::size(steps) - 3) * n * n * n + 3 * n * n * m;
}

void Muon::apply(double lr, double scale) {
  const Vec clip = splat(scale);
  const Vec momentum = splat(options_.momentum), rest = splat(1 - options_.momentum);
  // Where weights and gradients are; null for a parameter that no loss has reached.
  const engine::Scratch<real*> weights(std::ssize(parameters_)), gradients(std::ssize(parameters_));
  for (Index i = 0; i < std::ssize(parameters_); ++i) {
    const Tensor& parameter = engine::at(parameters_, i);
    const bool reached = parameter.gradient().written();
    weights[i] = reached ? parameter.mutable_data() : nullptr;
    gradients[i] = reached ? parameter.gradient().destination().data : nullptr;
  }
  const Index count = std::ssize(matrices_), at_once = matrices_at_once(count);
  const Index size = Workspace::size(largest_, largest_square_);
  const engine::Scratch<real> memory(at_once * size);
  const auto update = [&](const Matrix& matrix) {
    const auto number = static_cast<Index>(matrix.parameter);
    const Index rows = matrix.rows, cols = parameters_[matrix.parameter].shape()[1];
    if (gradients[number] == nullptr || rows * cols == 0) return;
    real* const g = gradients[number] + matrix.offset;
    const Workspace w(memory.data() + (at_once > 1 ? engine::thread_index() * size : 0), largest_,
                      largest_square_);
    parallel_for_each(
        rows * cols,
        [=](Vec& gradient, Vec& m) {
          m = momentum * m + rest * (gradient * clip);
          gradient = momentum * m + rest * (gradient * clip);
        },
        g, m_[matrix.parameter].data() + matrix.offset);
    orthogonalize(g, rows, cols, w);
    const double rate = lr * treatments_[matrix.parameter].learning_rate;
    const Vec keep = splat(1 - rate * treatments_[matrix.parameter].weight_decay);
    const Vec length = splat(rate * 0.2 * std::sqrt(static_cast<double>(std::max(rows, cols))));
    parallel_for_each(
        rows * cols, [=](Vec y, Vec& p) { p = p * keep - length * y; },
        static_cast<const real*>(w.y), weights[number] + matrix.offset);
  };
  // With grain = count, all matrices run on this thread, outside any parallel loop, so that each of
  // the loops and products above may use all threads.
  engine::parallel_for(count, at_once > 1 ? 1 : count, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) update(engine::at(matrices_, i));
  });
  for (const Tensor& parameter : parameters_) parameter.gradient().clear();
}

}  // namespace nn
