// Computes one tile of c. The micro-kernel stores the tile itself where it can; at the edges of c,
// and if c is transposed, the tile goes through a buffer.
#pragma once

#include <cassert>

#include "engine/base/index.h"
#include "engine/kernels/gemm/micro_kernel.h"
#include "engine/kernels/gemm/packing.h"

namespace engine::kernels {

// c = from + t, for a tile of up to max_rows x width that the micro-kernel cannot store itself: at
// the right edge of c, or if c.col_stride is not 1. from.data null: 0.
inline void store_tile(MatrixView t, MatrixView from, MutableMatrixView c) {
  if (c.col_stride != 1 && c.row_stride == 1) {
    assert(t.rows <= max_rows && t.cols <= width);
    alignas(vector_bytes) real transposed[width * padded_rows];
    pack<padded_rows>(
        t.transposed(), 1, [](Index) { return 0; }, 0, transposed);
    return store_tile({transposed, t.cols, t.rows, padded_rows, 1}, from.transposed(),
                      c.transposed());
  }
  for (Index i = 0; i < c.rows; ++i)
    if (c.col_stride == 1 && (from.data == nullptr || from.col_stride == 1))
      for (Index j = 0; j < c.cols; j += lanes) {
        const Index n = std::min<Index>(c.cols - j, lanes);
        Vec sum = load_part(&t(i, j), n);
        if (from.data != nullptr) sum = load_part(&from(i, j), n) + sum;
        store_part(&c(i, j), sum, n);
      }
    else
      for (Index j = 0; j < c.cols; ++j)
        c(i, j) = from.data == nullptr ? t(i, j) : from(i, j) + t(i, j);
}

// c = from + a b for one tile of c, rows x n with n <= width; a, b and depth are set in `tile`.
template <Precision precision>
void multiply_tile(Tile& tile, Index rows, MatrixView from, MutableMatrixView c) {
  const MicroKernel kernel = at(micro_kernels<precision>, rows - 1)[c.cols > lanes];
  alignas(vector_bytes) real t[padded_rows * width];
  if (c.cols % lanes == 0 && c.col_stride == 1 && (from.data == nullptr || from.col_stride == 1)) {
    tile.from = from.data;
    tile.from_row = from.row_stride;
    tile.to = c.data;
    tile.to_row = c.row_stride;
    kernel(tile);
  } else {
    tile.from = nullptr;
    tile.to = t;
    tile.to_row = width;
    // The last tile has one column with vocabularies of 65 and 50257: 10 to 14 % of the product.
    if (precision == Precision::float32 && c.cols == 1 && tile.a_k == 1 && rows > max_rows / 2)
      column_kernel(tile, rows);
    else
      kernel(tile);
    store_tile({t, rows, c.cols, width, 1}, from, c);
  }
}

}  // namespace engine::kernels
