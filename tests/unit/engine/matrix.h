// Matrices in double, for definitions and bounds of errors.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "engine/tensor.h"

namespace in_double {

using engine::Index;

struct Matrix {
  Index rows, cols;
  std::vector<double> values = std::vector<double>(static_cast<std::size_t>(rows * cols));
  double& operator()(Index i, Index j) { return values[static_cast<std::size_t>(i * cols + j)]; }
  double operator()(Index i, Index j) const {
    return values[static_cast<std::size_t>(i * cols + j)];
  }
};

inline Matrix map(Index rows, Index cols, const std::function<double(Index, Index)>& f) {
  Matrix m{rows, cols};
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) m(i, j) = f(i, j);
  return m;
}
inline Matrix transposed(const Matrix& m) {
  return map(m.cols, m.rows, [&](Index i, Index j) { return m(j, i); });
}
inline Matrix absolute(const Matrix& m) {
  return map(m.rows, m.cols, [&](Index i, Index j) { return std::abs(m(i, j)); });
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  return map(a.rows, b.cols, [&](Index i, Index j) {
    double sum = 0;
    for (Index k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
    return sum;
  });
}
inline Matrix operator*(double x, const Matrix& m) {
  return map(m.rows, m.cols, [&](Index i, Index j) { return x * m(i, j); });
}
inline Matrix operator+(const Matrix& a, const Matrix& b) {
  return map(a.rows, a.cols, [&](Index i, Index j) { return a(i, j) + b(i, j); });
}
// The Frobenius norm.
inline double length(const Matrix& m) {
  double squares = 0;
  for (const double x : m.values) squares += x * x;
  return std::sqrt(squares);
}

// Of a tensor of `cols` columns, or of a part of each row.
inline Matrix matrix_of(const engine::Tensor& x, Index first = 0, Index cols = -1) {
  const Index all = x.shape().cols();
  return map(x.size() / all, cols < 0 ? all : cols,
             [&](Index i, Index j) { return double(x.data()[i * all + first + j]); });
}

}  // namespace in_double
