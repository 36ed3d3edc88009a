// A single row times a matrix, as in generation token by token. Each element of b is used once, so
// b is not packed, and memory bandwidth limits the speed.
#pragma once

#include "engine/kernels/gemm/problem.h"
#include "engine/kernels/gemm/tile.h"

namespace engine::kernels {

// Columns [j, j + cols) of c = from + sum, or c + sum after the first block of k.
inline void store_row(const Problem& p, Index k, Index j, Index cols, const Vec* sum) {
  for (const Index end = j + cols; j < end; j += width, sum += 2) {
    const Index n = std::min(width, end - j);
    const MutableMatrixView c = p.c.block(0, j, 1, n);
    store_tile({reinterpret_cast<const real*>(sum), 1, n, width, 1}, start_of(p, k, 0, j, c), c);
  }
}

// Columns [j0, j1) of c, for b with contiguous rows, or packed. Eight vectors at a time: an fma has
// a latency of 4 cycles, and 2 can start per cycle.
inline void multiply_row(const Problem& p, Index j0, Index j1) {
  constexpr int chains = 8;
  const Index full_depth = depth_of_blocks(p.a.cols);
  for (Index j = j0; j < j1; j += chains * lanes)
    for (Index k0 = 0; k0 == 0 || k0 < p.a.cols; k0 += full_depth) {
      const Index cols = std::min<Index>(chains * lanes, j1 - j);
      const Index depth = std::min(p.a.cols - k0, full_depth);
      const Index b_k = p.packed != nullptr ? width : p.b.row_stride;
      const real* b[chains];
      for (Index v = 0; v < chains; ++v) {
        const Index jv =
            v * lanes < cols ? j + v * lanes : j;  // past the last column: any valid address
        b[v] = p.packed != nullptr ? p.packed->panel(k0, depth, jv / width * width) + jv % width
                                   : &p.b(k0, jv);
      }
      Vec sum[chains] = {};
      for (Index k = 0; k < depth; ++k) {
        const Vec a_k = broadcast(p.a(0, k0 + k));
#pragma GCC unroll 8
        for (int v = 0; v < chains; ++v) sum[v] = fma(a_k, load(b[v] + k * b_k), sum[v]);
      }
      store_row(p, k0, j, cols, sum);
    }
}

// Columns [j0, j1) of c, for b with contiguous columns: transposes squares of b in registers.
inline void multiply_row_transposed(const Problem& p, Index j0, Index j1) {
  const Index full_depth = depth_of_blocks(p.a.cols);
  for (Index j = j0; j < j1; j += width)
    for (Index k0 = 0; k0 == 0 || k0 < p.a.cols; k0 += full_depth) {
      const Index cols = std::min(width, j1 - j), k1 = std::min(k0 + full_depth, p.a.cols);
      Vec sum[2] = {};
      for (Index k = k0; k < k1; k += lanes) {
        const Index depth = std::min<Index>(k1 - k, lanes);
#pragma GCC unroll 2
        for (Index v = 0; v < 2; ++v) {
          const real* const in = &p.b(k, j + v * lanes);
          if (k % line == 0)
            for (Index i = 0; i < lanes; ++i)  // the beginning of the next columns
              __builtin_prefetch(in + (width + i) * p.b.col_stride, 0, 2);
          Vec columns[lanes];
          load_columns(in, p.b.col_stride, depth, cols - v * lanes, columns);
#pragma GCC unroll 16
          for (Index i = 0; i < lanes; ++i)
            if (i < depth) sum[v] = fma(broadcast(p.a(0, k + i)), columns[i], sum[v]);
        }
      }
      store_row(p, k0, j, cols, sum);
    }
}

// The function for a product of one row; null if multiplying by tiles is faster.
using RowKernel = void (*)(const Problem&, Index j0, Index j1);
inline RowKernel one_row_kernel(const Problem& p) {
  if (p.a.rows != 1) return nullptr;
  if (p.packed != nullptr || (p.b.col_stride == 1 && p.b.cols % lanes == 0)) return multiply_row;
  return p.b.row_stride == 1 ? multiply_row_transposed : nullptr;
}

}  // namespace engine::kernels
