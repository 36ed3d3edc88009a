// The product to compute, and how it is cut: k into blocks, which decide the bits of the result; b
// into blocks that stay in L2; the rows of c into tiles.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/base/cpu.h"
#include "engine/base/index.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/gemm/micro_kernel.h"

namespace engine::kernels {

struct Problem {          // c = from + a b
  MatrixView a, b, from;  // from.data null: 0
  MutableMatrixView c;
  const PackedMatrix* packed;  // b, or null
  Precision precision;

  Index steps() const { return steps_of(a.cols, precision); }
  // For steps [step, step + depth): the first k, and the number of k.
  Index first_k(Index step) const { return step * k_per_step(precision); }
  Index k_in(Index step, Index depth) const {
    return std::clamp<Index>(a.cols - first_k(step), 0, depth * k_per_step(precision));
  }
  MatrixView block_of_a(Index i, Index rows, Index step, Index depth) const {
    return a.block(i, first_k(step), rows, k_in(step, depth));
  }
  MatrixView block_of_b(Index step, Index depth, Index j, Index cols) const {
    return b.block(first_k(step), j, k_in(step, depth), cols);
  }
};
// What the block at k is added to, in the tile of c that begins at (i, j): `from` for the first
// block, then the tile itself.
inline MatrixView start_of(const Problem& p, Index k, Index i, Index j, MutableMatrixView tile) {
  if (k > 0) return tile;
  return p.from.data == nullptr ? MatrixView{} : p.from.block(i, j, tile.rows, tile.cols);
}

// Cores with AVX-512 have an L1 of 32 or 48 KiB, and an L2 of 1 or 2 MiB, with few exceptions;
// other cores have 32 KiB, and 256 KiB to 1 MiB.
inline constexpr bool large_caches = vector_bytes == 64;
// The depth of a block of k. c is read and written once per block, so blocks are deep: rows of `a`
// take 28 KiB (float, 14 rows) or 9 KiB (6 rows) of L1; packed, padded to whole vectors, 32 or 12
// KiB. A panel of b, 64 or 24 KiB, streams from L2 through L1 at 9 or 11 bytes a cycle.
inline constexpr Index max_depth = large_caches ? 512 : 384;
// The steps of k are split evenly into blocks of this depth (the last may be smaller).
inline Index depth_of_blocks(Index steps) {
  const Index blocks = std::max<Index>(ceil_div(steps, max_depth), 1);
  return round_up(std::max<Index>(ceil_div(steps, blocks), 1), 16);
}

// Elements in a block of b for a cache L2 of `l2` bytes: three quarters of it, since rows of `a`
// and c need room as well. A block larger than L2 comes from L3 for each tile: with 576 KiB in 512,
// five times as many lines miss L2 as with 384 KiB (cachegrind; dW of 384 x 1536). No more than
// 768 KiB, or a whole k block for C = 384, which larger ones were not faster than. Unknown: 512
// KiB.
inline Index block_size(std::size_t l2) {
  constexpr std::size_t most = (large_caches ? 768 : 576) << 10;
  return static_cast<Index>(std::min(most, (l2 > 0 ? l2 : 512 << 10) / 4 * 3) / sizeof(real));
}
inline Index block_size() {
  static const Index here = block_size(l2_cache());
  return here;
}

// Steps [k, k + depth) and columns [j, j + cols) of b.
struct Block {
  Index k = 0, depth = 0, j = 0, cols = 0;
};

// Cuts columns [j0, j1) of b into blocks: for each block of columns, all blocks of steps. If K is
// 0, there is a block of depth 0, which sets c.
class Blocks {
 public:
  Blocks(Index steps, Index j0, Index j1, Index size = block_size())
      : steps_(steps),
        j0_(j0),
        j1_(j1),
        depth_(depth_of_blocks(steps)),
        over_k_(std::max<Index>(ceil_div(steps, depth_), 1)),
        over_j_(ceil_div(j1 - j0, std::max(size / depth_, width))),
        cols_(round_up(ceil_div(j1 - j0, over_j_), width)) {}

  Index count() const { return over_k_ * over_j_; }
  Block operator[](Index n) const {  // of size 0 after the last
    if (n >= count()) return {};
    const Index k = n % over_k_ * depth_, j = j0_ + n / over_k_ * cols_;
    return {.k = k,
            .depth = std::min(depth_, steps_ - k),
            .j = j,
            .cols = std::clamp<Index>(j1_ - j, 0, cols_)};
  }

 private:
  Index steps_, j0_, j1_, depth_, over_k_, over_j_, cols_;
};

// Rows [begin, end) in tiles of at most max_rows, of sizes that differ by at most 1: 65 rows are
// 5 x 13, not 4 x 14 and 9. (2 to 4 % faster for 128 rows.)
class TileRows {
 public:
  TileRows(Index begin, Index end)
      : count_(ceil_div(end - begin, max_rows)),
        begin_(begin),
        rows_((end - begin) / count_),
        longer_((end - begin) % count_) {}

  Index count() const { return count_; }
  Index operator[](Index tile) const {  // its first row; [count()] is the end
    return begin_ + tile * rows_ + std::min(tile, longer_);
  }

 private:
  Index count_, begin_, rows_, longer_;
};

}  // namespace engine::kernels
