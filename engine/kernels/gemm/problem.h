// Shared by the two ways to multiply, by tiles (gemm.cpp) and a single row (row.h): the blocks of
// k, which decide the bits of the result, and storing a product in c.
#pragma once

#include <cassert>

#include "engine/base/index.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/gemm/micro_kernel.h"
#include "engine/kernels/gemm/packing.h"

namespace engine::kernels {

// Cores with AVX-512 have an L1 of 32 or 48 KiB and an L2 of 1 or 2 MiB; others 32 KiB and 256 or
// 512.
inline constexpr bool large_caches = vector_bytes == 64;
// The depth of a block of k. c is read and written once per block, so blocks are deep: the rows of
// a take 28 KiB (float, 14 rows) or 9 KiB (6 rows) of L1. A panel of b, 64 or 24 KiB, streams from
// L2 through L1 at 9 bytes a cycle.
inline constexpr Index max_depth = large_caches ? 512 : 384;
// K is split evenly into blocks of this depth (the last may be smaller).
inline Index depth_of_blocks(Index k) {
  const Index blocks = std::max<Index>(ceil_div(k, max_depth), 1);
  return round_up(std::max<Index>(ceil_div(k, blocks), 1), 16);
}

// Elements of one step of k in a packed panel of a.
inline constexpr Index padded_rows = round_up(max_rows, lanes);

struct Problem {          // c = from + a b
  MatrixView a, b, from;  // from.data null: 0
  MutableMatrixView c;
  const PackedMatrix* packed;  // b, or null
};

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

}  // namespace engine::kernels
