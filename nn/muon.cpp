#include "nn/muon.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/reduce.h"
#include "nn/update_all.h"

namespace nn {

using engine::kernels::broadcast;
using engine::kernels::gemm;
using engine::kernels::matrix;
using engine::kernels::MatrixView;
using engine::kernels::Vec;
using engine::kernels::Write;

namespace {

Vec vector(double x) { return broadcast(static_cast<real>(x)); }

// Memory for one matrix at a time: x and y (rows, cols), a and b (n, n).
struct Workspace {
  real *x, *y, *a, *b;
  static Index size(Index largest, Index largest_square) {
    return 2 * padded(largest) + 2 * padded(largest_square);
  }
  Workspace(real* memory, Index largest, Index largest_square)
      : x(memory), y(x + padded(largest)), a(y + padded(largest)), b(a + padded(largest_square)) {}
};

// Orthogonalises w.x (rows, cols). A tall matrix is multiplied from the other side instead of being
// transposed: (X^T X)^k X^T is the transpose of X (X^T X)^k.
void orthogonalise(Index rows, Index cols, Workspace& w) {
  constexpr int steps = 5;
  constexpr double linear = 3.4445, cubic = -4.7750, quintic = 2.0315;
  const Vec c = vector(cubic), q = vector(quintic);
  const bool wide = rows <= cols;
  const Index n = std::min(rows, cols), size = rows * cols;
  const double norm = std::sqrt(engine::kernels::sum_of(
      size, [](Vec x) { return x * x; }, w.x));
  const Vec factor = vector(1 / (norm + 1e-7));
  update_all(
      size, [=](Vec& x) { x = x * factor; }, w.x);
  for (int step = 0; step < steps; ++step) {
    const MatrixView x = matrix(w.x, rows, cols), a = matrix(w.a, n, n), b = matrix(w.b, n, n);
    wide ? gemm(x, x.transposed(), matrix(w.a, n, n), Write::overwrite)
         : gemm(x.transposed(), x, matrix(w.a, n, n), Write::overwrite);
    gemm(a, a, matrix(w.b, n, n), Write::overwrite);
    update_all(
        n * n, [=](Vec u, Vec& v) { v = c * u + q * v; }, static_cast<const real*>(w.a), w.b);
    for (Index i = 0; i < n; ++i) w.b[i * n + i] += static_cast<real>(linear);
    wide ? gemm(b, x, matrix(w.y, rows, cols), Write::overwrite)
         : gemm(x, b, matrix(w.y, rows, cols), Write::overwrite);
    std::swap(w.x, w.y);
  }
}

}  // namespace

Muon::Muon(std::vector<ParameterGroup> groups, const MuonOptions& options)
    : parameters_("Muon", std::move(groups), ParameterList::Unit::matrix),
      options_(options),
      m_(parameters_.zeros()) {
  for (const Tensor& parameter : parameters_.tensors()) {  // its parts are not larger
    const Index n = std::min(parameter.shape()[0], parameter.shape()[1]);
    largest_ = std::max(largest_, parameter.size());
    largest_square_ = std::max(largest_square_, n * n);
  }
}

double Muon::step(double lr) {
  const double norm = gradient_norm(parameters_.tensors());
  if (std::isfinite(norm)) update(lr, clipping_factor(norm, options_.grad_clip));
  return norm;
}

void Muon::update(double lr, double scale) {
  const Vec clip = vector(scale);
  const Vec momentum = vector(options_.momentum), rest = vector(1 - options_.momentum);
  // A thread for each matrix while there are enough of them, else all threads for one after
  // another.
  const Index count = parameters_.count(), threads = engine::thread_count();
  const bool at_once = count >= threads;
  const Index size = Workspace::size(largest_, largest_square_);
  const engine::Scratch<real> memory((at_once ? threads : 1) * size);
  parameters_.update(
      [&](const ParameterList::Piece& piece) {
        if (piece.size == 0) return;
        const Index rows = piece.size / piece.cols, cols = piece.cols;
        Workspace w(memory.data() + (at_once ? engine::thread_index() * size : 0), largest_,
                    largest_square_);
        update_all(
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
        const Vec keep = vector(1 - rate * decay);
        const Vec length =
            vector(rate * 0.2 * std::sqrt(static_cast<double>(std::max(rows, cols))));
        update_all(
            piece.size, [=](Vec x, Vec& p) { p = p * keep - length * x; },
            static_cast<const real*>(w.x), piece.p);
      },
      at_once ? 1 : count);
}

}  // namespace nn
