// A strided view of a matrix in memory that it does not own. A transposed operand, or one attention
// head inside a (B, T, 3C) tensor, is a view, without a copy.
#pragma once

#include "engine/base/real.h"

namespace engine::kernels {

template <class T>
struct BasicMatrixView {
  T* data;           // element (0, 0)
  Index rows, cols;  // element (i, j) is data[i * row_stride + j * col_stride]
  Index row_stride, col_stride;

  T& operator()(Index i, Index j) const { return data[i * row_stride + j * col_stride]; }
  BasicMatrixView transposed() const { return {data, cols, rows, col_stride, row_stride}; }
  // Rows [i, i + m) and columns [j, j + n).
  BasicMatrixView block(Index i, Index j, Index m, Index n) const {
    return {data + i * row_stride + j * col_stride, m, n, row_stride, col_stride};
  }
  operator BasicMatrixView<const T>() const { return {data, rows, cols, row_stride, col_stride}; }
};

using MatrixView = BasicMatrixView<const real>;
using MutableMatrixView = BasicMatrixView<real>;

// A dense row-major matrix.
inline MatrixView matrix(const real* data, Index rows, Index cols) {
  return {data, rows, cols, cols, 1};
}
inline MutableMatrixView matrix(real* data, Index rows, Index cols) {
  return {data, rows, cols, cols, 1};
}

}  // namespace engine::kernels
