// The micro-kernel: one tile of a product, in registers. All of gemm's time should be spent here.
#pragma once

#include <array>
#include <utility>

#include "engine/kernels/gemm/packing.h"
#include "engine/kernels/simd.h"

namespace engine::kernels {

// Registers: 14 x 2 accumulators, 2 vectors of b and a scalar of a make 31 of 32; 6 x 2, 15 of 16.
inline constexpr int max_rows = vector_registers == 32 ? 14 : 6;
inline constexpr Index width = 2 * lanes;

// Memory that will be read soon: whole lines, row after row. Now and then a step of a tile asks for
// one, so that they come from afar while the tile needs nothing from there. A step of 12 fmas has
// little time left for that.
inline constexpr Index steps_per_line = max_rows > 8 ? 1 : 8;
struct Ahead {
  const real *at = nullptr, *row_end = nullptr;
  Index gap = 0, row = 0;  // from the end of one row to the next, from end to end
};

// to = from + a b for one tile: a (rows, depth), b (depth, 1 or 2 vectors).
struct Tile {
  Index depth;
  const real* a;
  Index a_row, a_k;  // a(i, k) is a[i a_row + k a_k]
  const real* b;
  Index b_k;         // b(k, j) is b[k b_k + j]
  const real* from;  // may be null: nothing
  Index from_row;
  real* to;
  Index to_row;
  Ahead ahead;
};

// What is read next of a matrix whose rows, or columns, are contiguous, handed to tiles in pieces.
class Upcoming {
 public:
  explicit Upcoming(MatrixView m = {}) : m_(m.col_stride == 1 ? m : m.transposed()) {
    lines_ = m_.cols == 0 ? 0 : (m_.cols + line - 2) / line + 1;  // wherever in a line it begins
    if (m_.col_stride != 1) m_.rows = 0;
  }
  // The tile asks for the next lines. False: there are none left.
  bool give(Tile& tile) {
    const Index row = lines_ == 0 ? 0 : next_ / lines_;
    if (row >= m_.rows) return false;
    const real* const begin = m_.data + row * m_.row_stride;
    tile.ahead = {begin + next_ % lines_ * line, begin + lines_ * line,
                  m_.row_stride - lines_ * line, m_.row_stride};
    next_ += tile.depth / steps_per_line;
    return true;
  }

 private:
  MatrixView m_;
  Index lines_ = 0, next_ = 0;
};

template <int rows, int vectors>
void micro_kernel(const Tile& tile) {
  const auto [depth, a_first, a_row, a_k, b_first, b_k, from, from_row, to, to_row, from_afar] =
      tile;
  Ahead ahead = from_afar;
  // A pointer to every third row: one to each is more than there are registers for.
  constexpr int thirds = (rows + 2) / 3;
  const real *a[thirds], *b = b_first;
#pragma GCC unroll 8
  for (int i = 0; i < thirds; ++i) a[i] = a_first + 3 * i * a_row;
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) __builtin_prefetch(to + i * to_row + v * lanes, 1);

  Vec sum[rows][vectors] = {};
  for (Index k = depth; k > 0; --k) {
    Vec b_row[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      b_row[v] = load(b + v * lanes);
      if (v * lanes % line == 0)
        __builtin_prefetch(b + 8 * b_k + v * lanes);  // 8 steps are 100 cycles: from L2 in time
    }
    __builtin_prefetch(a[0] + 8 * a_k);
    if (k % steps_per_line == 0) {
      __builtin_prefetch(ahead.at);
      ahead.at += line;
      if (ahead.at >= ahead.row_end) {
        ahead.at += ahead.gap;
        ahead.row_end += ahead.row;
      }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Vec a_ik = broadcast(a[i / 3][i % 3 * a_row]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[i][v] = fma(a_ik, b_row[v], sum[i][v]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < thirds; ++i) a[i] += a_k;
    b += b_k;
  }

#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      if (from != nullptr) sum[i][v] = load(from + i * from_row + v * lanes) + sum[i][v];
      store(to + i * to_row + v * lanes, sum[i][v]);
    }
}

// The same for a single column, of an a whose rows lie in one piece (a_k = 1): squares of a are
// turned in registers, so that here, too, each lane of an fma works. from and ahead are not used.
inline void column_kernel(const Tile& tile, Index rows) {
  for (Index i = 0; i < rows; i += lanes) {
    Vec sum{};
    for (Index k = 0; k < tile.depth; k += lanes) {
      const Index depth = std::min<Index>(tile.depth - k, lanes);
      Vec columns[lanes];
      load_columns(tile.a + i * tile.a_row + k, tile.a_row, depth, rows - i, columns);
#pragma GCC unroll 16
      for (int j = 0; j < lanes; ++j)
        if (j < depth) sum = fma(columns[j], broadcast(tile.b[(k + j) * tile.b_k]), sum);
    }
    for (Index j = 0; j < std::min<Index>(rows - i, lanes); ++j)
      tile.to[(i + j) * tile.to_row] = sum[j];
  }
}

using Kernel = void (*)(const Tile&);
template <int... i>
constexpr auto table_of_kernels(std::integer_sequence<int, i...>) {
  return std::array<std::array<Kernel, 2>, max_rows>{
      {{micro_kernel<i + 1, 1>, micro_kernel<i + 1, 2>}...}};
}
inline constexpr auto kernels = table_of_kernels(std::make_integer_sequence<int, max_rows>());

}  // namespace engine::kernels
