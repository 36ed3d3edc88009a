// The micro-kernel: one tile of a product, accumulated in registers. Nearly all of gemm's time is
// spent here.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "engine/kernels/gemm/packing.h"
#include "engine/kernels/simd.h"

namespace engine::kernels {

// Registers: 14 x 2 accumulators, 2 vectors of b, a scalar of `a`: 31 of 32; with 6 x 2, 15 of 16.
// A browser's compiler loads all scalars of a step before the first product, and that takes one
// more: with 4 x 2 accumulators, 15 of its 15 (V8, Zen 4: 6 rows take 1.5 times as long).
// An fma takes 4 cycles and 2 start in each, so 8 accumulators would keep the core busy; the others
// save loads, above all of b from L2: 128 bytes every `rows` cycles, 32 a cycle with 4 rows, 9 with
// 14. 9 x 3 = 27 accumulators save more (12 loads for 27 fmas, not 16 for 28), but read 14
// bytes of b a cycle from L2 instead of 9, and fewer widths are whole panels of 3 vectors: 2 to 11
// % slower on README's shapes, 7 to 24 % for attention's 64 columns (Zen 5).
inline constexpr int max_rows = vector_registers == 32 ? 14 : vector_registers == 16 ? 6 : 4;
inline constexpr Index width = 2 * lanes;
// Elements of one step of k in a packed panel of `a`.
inline constexpr Index padded_rows = round_up(max_rows, lanes);

// While a tile runs from L1 and L2, one cache line is prefetched from memory every steps_per_line
// steps: a line every step costs 7 of 62 instructions for 28 fmas, and too many wait for memory at
// once; a step of only 12 fmas has few free issue slots.
inline constexpr Index steps_per_line = !can_prefetch ? 1 << 20 : max_rows <= 8 ? 8 : 4;
// The next line to prefetch, in rows of whole lines.
struct PrefetchPosition {
  const real *next = nullptr, *row_end = nullptr;
  Index gap = 0, row_stride = 0;  // from one row's end to the next row's begin, and to its end

  void prefetch_line() {
    if (!can_prefetch) return;
    __builtin_prefetch(next);
    next += line;
    if (next >= row_end) {
      next += gap;
      row_end += row_stride;
    }
  }
};

// to = from + a b for one tile: a (rows, depth), b (depth, 1 or 2 vectors of a panel), depth in
// steps of k.
struct Tile {
  Index depth;
  const real* a;
  Index a_row, a_k;            // element (i, k) is a[i a_row + k a_k]
  const real* b;               // element (k, j) is b[k width + j]
  const real* from = nullptr;  // null: 0
  Index from_row = 0;
  real* to = nullptr;
  Index to_row = 0;
  PrefetchPosition prefetch = {};
};

// sum + a b for a step of k: an element of a, elements of b in the lanes.
template <Precision precision>
Vec multiply_add(const real* a, Vec b, Vec sum) {
  if constexpr (precision == Precision::float32)
    return fma(splat(*a), b, sum);
  else
    return multiply_pairs(splat_pair(a), as_bits(b), sum);
}

template <Precision precision, int rows, int vectors>
void micro_kernel(const Tile& given) {
  const Tile t = given;
  PrefetchPosition prefetch = t.prefetch;
  // A pointer to every third row of `a`: one per row would need more registers than there are.
  constexpr int thirds = (rows + 2) / 3;
  const real *a[thirds], *b = t.b;
#pragma GCC unroll 8
  for (int i = 0; i < thirds; ++i) a[i] = t.a + 3 * i * t.a_row;
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(t.to + i * t.to_row + v * lanes, 1);

  Vec sum[rows][vectors] = {};
  // The inner loop has next to nothing but loads and fmas: 25 instructions for the 12 fmas of 6
  // rows. Where another program has the core's second hyperthread, about 3 of them start in a
  // cycle, and each one more costs time that fmas alone would not take (two more: 8 to 11 %; alone,
  // 2 %).
  for (Index left = t.depth; left > 0; left -= steps_per_line) {
    prefetch.prefetch_line();
    for (Index k = std::min(left, steps_per_line); k > 0; --k) {
      Vec b_row[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        b_row[v] = load(b + v * lanes);
        if (v * lanes % line == 0)  // 8 steps are about 100 cycles: from L2 in time
          __builtin_prefetch(b + 8 * width + v * lanes);
      }
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v)
          sum[i][v] = multiply_add<precision>(a[i / 3] + i % 3 * t.a_row, b_row[v], sum[i][v]);
#pragma GCC unroll 8
      for (int i = 0; i < thirds; ++i) a[i] += t.a_k;
      b += width;
    }
  }

#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      if (t.from != nullptr) sum[i][v] = load(t.from + i * t.from_row + v * lanes) + sum[i][v];
      store(t.to + i * t.to_row + v * lanes, sum[i][v]);
    }
}

// A tile of one column in float32, if rows of `a` are contiguous (a_k = 1): transposes squares of
// `a` in registers, so that all lanes of an fma are in use. Ignores tile.from and tile.prefetch.
inline void column_kernel(const Tile& tile, Index rows) {
  for (Index i = 0; i < rows; i += lanes) {
    Vec sum{};
    for (Index k = 0; k < tile.depth; k += lanes) {
      const Index depth = std::min<Index>(tile.depth - k, lanes);
      Vec columns[lanes];
      load_columns(tile.a + i * tile.a_row + k, tile.a_row, depth, rows - i, columns);
#pragma GCC unroll 16
      for (int j = 0; j < lanes; ++j)
        if (j < depth) sum = fma(columns[j], splat(tile.b[(k + j) * width]), sum);
    }
    for (Index j = 0; j < std::min<Index>(rows - i, lanes); ++j)
      tile.to[(i + j) * tile.to_row] = sum[j];
  }
}

using MicroKernel = void (*)(const Tile&);
template <Precision precision, int... i>
constexpr auto micro_kernel_table(std::integer_sequence<int, i...>) {
  return std::array<std::array<MicroKernel, 2>, max_rows>{
      {{micro_kernel<precision, i + 1, 1>, micro_kernel<precision, i + 1, 2>}...}};
}
// micro_kernels<precision>[rows - 1][vectors - 1]
template <Precision precision>
inline constexpr auto micro_kernels =
    micro_kernel_table<precision>(std::make_integer_sequence<int, max_rows>());

}  // namespace engine::kernels
