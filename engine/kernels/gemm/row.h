// A single row times a matrix, as in generation token by token. Each element of b is used once, so
// b is not packed, and memory bandwidth limits the speed.
#pragma once

#include <algorithm>

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

// The elements of the row `a`, a block of steps at a time: in place, or copied as pairs.
template <Precision precision>
class RowOfA {
 public:
  explicit RowOfA(const Problem& p) : p_(p) {}

  // Moves to steps [first, first + depth), depth at most max_depth: [0] is then step `first`.
  void go_to(Index first, Index depth) {
    if constexpr (precision == Precision::float32) {
      elements_ = &p_.a(0, first);
      stride_ = p_.a.col_stride;
    } else if (elements_ == nullptr || first != first_) {
      round_rows(p_.block_of_a(0, 1, first, depth), max_depth, pairs_);
      elements_ = pairs_;
      first_ = first;
    }
  }
  const real* operator[](Index step) const { return elements_ + step * stride_; }

 private:
  const Problem& p_;
  const real* elements_ = nullptr;
  Index stride_ = 1, first_ = 0;
  alignas(vector_bytes) real pairs_[precision == Precision::bfloat16 ? max_depth : 1];
};

// Columns [j0, j1) of c, for b with contiguous rows, or packed. Eight vectors at a time: an fma has
// a latency of 4 cycles, and 2 can start per cycle.
template <Precision precision>
void multiply_row(const Problem& p, Index j0, Index j1) {
  constexpr int chains = 8;
  constexpr Index ks = k_per_step(precision);
  const Index steps = p.steps(), full_depth = depth_of_blocks(steps);
  RowOfA<precision> a(p);
  for (Index j = j0; j < j1; j += chains * lanes)
    for (Index k0 = 0; k0 == 0 || k0 < steps; k0 += full_depth) {
      const Index cols = std::min<Index>(chains * lanes, j1 - j);
      const Index depth = std::min(steps - k0, full_depth);
      const Index b_k = p.packed != nullptr ? width : ks * p.b.row_stride;
      const real* b[chains];
      for (Index v = 0; v < chains; ++v) {
        const Index jv =
            v * lanes < cols ? j + v * lanes : j;  // past the last column: any valid address
        b[v] = p.packed != nullptr ? p.packed->panel(k0, depth, jv / width * width) + jv % width
                                   : &p.b(ks * k0, jv);
      }
      a.go_to(k0, depth);
      Vec sum[chains] = {};
      for (Index k = 0; k < depth; ++k) {
        const bool lone = ks * (k0 + k) + 1 == p.a.cols;  // the last k, if their number is odd
#pragma GCC unroll 8
        for (int v = 0; v < chains; ++v) {
          Vec element = load(b[v] + k * b_k);
          if (precision == Precision::bfloat16 && p.packed == nullptr)
            element = from_bits(
                pairs_of_lanes(element, lone ? Vec{} : load(b[v] + k * b_k + p.b.row_stride)));
          sum[v] = multiply_add<precision>(a[k], element, sum[v]);
        }
      }
      store_row(p, k0, j, cols, sum);
    }
}

// Columns [j0, j1) of c, for b with contiguous columns: transposes squares of b in registers.
template <Precision precision>
void multiply_row_transposed(const Problem& p, Index j0, Index j1) {
  constexpr Index ks = k_per_step(precision);
  const Index steps = p.steps(), full_depth = depth_of_blocks(steps);
  RowOfA<precision> a(p);
  for (Index j = j0; j < j1; j += width)
    for (Index k0 = 0; k0 == 0 || k0 < steps; k0 += full_depth) {
      const Index cols = std::min(width, j1 - j), block = std::min(full_depth, steps - k0);
      a.go_to(k0, block);
      Vec sum[2] = {};
      for (Index step = 0; step < block; step += lanes) {
        const Index depth = p.k_in(k0 + step, std::min<Index>(block - step, lanes));
#pragma GCC unroll 2
        for (Index v = 0; v < 2; ++v) {
          const real* const in = &p.b(p.first_k(k0 + step), j + v * lanes);
          if (step * ks % line == 0)
            for (Index i = 0; i < lanes; ++i)  // the beginning of the next columns
              for (Index at = 0; at < ks * lanes; at += line)
                __builtin_prefetch(in + at + (width + i) * p.b.col_stride, 0, 2);
          Vec columns[lanes];
          load_columns<precision>(in, p.b.col_stride, depth, cols - v * lanes, columns);
#pragma GCC unroll 16
          for (Index i = 0; i < lanes; ++i)
            if (i * ks < depth) sum[v] = multiply_add<precision>(a[step + i], columns[i], sum[v]);
        }
      }
      store_row(p, k0, j, cols, sum);
    }
}

// The function for a product of one row; null if multiplying by tiles is faster.
using RowKernel = void (*)(const Problem&, Index j0, Index j1);
template <Precision precision>
RowKernel one_row_kernel_of(const Problem& p) {
  if (p.a.rows != 1) return nullptr;
  if (p.packed != nullptr || (p.b.col_stride == 1 && p.b.cols % lanes == 0))
    return multiply_row<precision>;
  return p.b.row_stride == 1 ? multiply_row_transposed<precision> : nullptr;
}
inline RowKernel one_row_kernel(const Problem& p) {
  return p.precision == Precision::bfloat16 ? one_row_kernel_of<Precision::bfloat16>(p)
                                            : one_row_kernel_of<Precision::float32>(p);
}

}  // namespace engine::kernels
