#include "nn/muon.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/kernels/elementwise.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/reduce.h"

namespace nn {

using engine::kernels::broadcast;
using engine::kernels::matrix;
using engine::kernels::MatrixView;
using engine::kernels::MutableMatrixView;
using engine::kernels::parallel_update;
using engine::kernels::Vec;
using engine::kernels::Write;

namespace {

// c = a b in float32, whatever the precision of the run: an iterated Gram matrix, whose eigenvalues
// are squares, does not stand bfloat16 (a run of 60 updates ends at 3.39 instead of 2.33).
void product(MatrixView a, MatrixView b, MutableMatrixView c) {
  engine::kernels::gemm(a, b, c, Write::overwrite, {}, engine::kernels::Precision::float32);
}

// c = a b, (n, n), where the product is known to be symmetric: what lies right of the diagonal's
// blocks is copied from the left, so that for large n little more than half is multiplied.
void symmetric_product(MatrixView a, MatrixView b, MutableMatrixView c) {
  constexpr Index block = 64;  // rows up to which gemm reads b in place
  for (Index i = 0; i < c.rows; i += block) {
    const Index rows = std::min(block, c.rows - i);
    product(a.block(i, 0, rows, a.cols), b.block(0, 0, b.rows, i + rows),
            c.block(i, 0, rows, i + rows));
    for (Index j = 0; j < i; ++j)
      for (Index k = i; k < i + rows; ++k) c(j, k) = c(k, j);
  }
}

// Memory for one matrix at a time: x and y (rows, cols), four of (n, n).
struct Workspace {
  real *x, *y, *square[4];
  static Index size(Index largest, Index largest_square) {
    return 2 * padded(largest) + 4 * padded(largest_square);
  }
  Workspace(real* memory, Index largest, Index largest_square) : x(memory), y(x + padded(largest)) {
    for (int i = 0; i < 4; ++i) square[i] = y + padded(largest) + i * padded(largest_square);
  }
};

// w.y = orthogonal(w.x), both (rows, cols), in the names of muon.h. A tall matrix is multiplied from
// the other side instead of being transposed: X p(X^T X) is the transpose of p(X^T X) X^T.
void orthogonalise(Index rows, Index cols, Workspace& w) {
  constexpr int steps = 5;
  constexpr double linear = 3.4445, cubic = -4.7750, quintic = 2.0315;
  const bool wide = rows <= cols;
  const Index n = std::min(rows, cols);
  const double norm = std::sqrt(engine::kernels::sum_of(
      rows * cols, [](Vec v) { return v * v; }, w.x));
  parallel_update(
      rows * cols, [factor = broadcast(1 / (norm + 1e-7))](Vec& v) { v = v * factor; }, w.x);
  const MatrixView x = matrix(std::as_const(w.x), rows, cols);
  MutableMatrixView a = matrix(w.square[0], n, n), p = matrix(w.square[1], n, n),
                    q = matrix(w.square[2], n, n), free = matrix(w.square[3], n, n);
  wide ? symmetric_product(x, x.transposed(), a) : symmetric_product(x.transposed(), x, a);
  for (int step = 0; step < steps; ++step) {
    MutableMatrixView& polynomial = step == 0 ? q : p;
    symmetric_product(a, a, polynomial);
    parallel_update(
        n * n, [c = broadcast(cubic), d = broadcast(quintic)](Vec u, Vec& v) { v = c * u + d * v; },
        static_cast<const real*>(a.data), polynomial.data);
    for (Index i = 0; i < n; ++i) polynomial(i, i) += static_cast<real>(linear);
    const MatrixView factor = polynomial;
    if (step > 0) {
      symmetric_product(p, q, free);
      std::swap(q, free);
    }
    if (step + 1 == steps) break;
    symmetric_product(factor, a, free);
    symmetric_product(free, factor, a);
  }
  const MutableMatrixView y = matrix(w.y, rows, cols);
  wide ? product(q, x, y) : product(x, q, y);
}

// n x n of a matrix, n the shorter side.
Index square_of(const engine::Shape& shape) {
  const Index n = std::min(shape[0], shape[1]);
  return n * n;
}

// A thread for each of the matrices while there are enough of them, else all threads for one after
// another.
Index matrices_at_once(Index matrices) {
  return matrices >= engine::thread_count() ? engine::thread_count() : 1;
}

}  // namespace

Muon::Muon(std::vector<ParameterGroup> groups, const MuonOptions& options)
    : Optimizer({"Muon", std::move(groups), ParameterList::Unit::matrix}, options.grad_clip),
      options_(options),
      m_(parameters_.zeros()) {
  for (const Tensor& parameter : parameters_.tensors()) {  // its parts are not larger
    largest_ = std::max(largest_, parameter.size());
    largest_square_ = std::max(largest_square_, square_of(parameter.shape()));
  }
}

Index Muon::scratch_size(std::span<const engine::Shape> shapes, Index matrices) {
  Index largest = 0, largest_square = 0;
  for (const engine::Shape& shape : shapes) {
    largest = std::max(largest, shape.size());
    largest_square = std::max(largest_square, square_of(shape));
  }
  return matrices_at_once(matrices) * Workspace::size(largest, largest_square);
}

void Muon::update(double lr, double scale) {
  const Vec clip = broadcast(scale);
  const Vec momentum = broadcast(options_.momentum), rest = broadcast(1 - options_.momentum);
  const Index count = parameters_.count(), at_once = matrices_at_once(count);
  const Index size = Workspace::size(largest_, largest_square_);
  const engine::Scratch<real> memory(at_once * size);
  parameters_.update(
      [&](const ParameterList::Piece& piece) {
        if (piece.size == 0) return;
        const Index rows = piece.size / piece.cols, cols = piece.cols;
        Workspace w(memory.data() + (at_once > 1 ? engine::thread_index() * size : 0), largest_,
                    largest_square_);
        parallel_update(
            piece.size,
            [=](Vec g, Vec& m, Vec& x) {
              const Vec gradient = g * clip;
              m = momentum * m + rest * gradient;
              x = momentum * m + rest * gradient;
            },
            piece.g, m_.data() + piece.offset, w.x);
        orthogonalise(rows, cols, w);
        const double rate = lr * piece.group.learning_rate;
        const double decay = piece.group.weight_decay.value_or(options_.weight_decay);
        const Vec keep = broadcast(1 - rate * decay);
        const Vec length =
            broadcast(rate * 0.2 * std::sqrt(static_cast<double>(std::max(rows, cols))));
        parallel_update(
            piece.size, [=](Vec y, Vec& p) { p = p * keep - length * y; },
            static_cast<const real*>(w.y), piece.p);
      },
      at_once > 1 ? 1 : count);
}

}  // namespace nn
