// The way from three loops to the engine's gemm, one idea a step, each with its measured speed.
// The steps are simplified (dense row-major operands with sizes that are multiples of the tiles);
// what is left to engine/kernels/gemm/ is edges, strides, small shapes. Its loops, from the outside
// in (`multiply` in gemm.cpp), with AVX2 in float:
//     threads: a range of rows of c, or of columns
//     blocks of b: up to 384 steps of k by as many columns as fit in L2, packed (`packed` below has
//         all columns in a block; with 384 steps, 6 rows of `a` and 16 columns of b fit in L1)
//     tiles of up to 6 rows of c; the rows of `a` stay in L1
//     panels of b: 16 columns
//     the tile: k, then the 6 rows and 2 vectors, unrolled
#pragma once

#include <cstdio>
#include <functional>

#include "engine/base/thread_pool.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/simd.h"
#include "tests/bench/measure.h"

namespace bench::ladder {

using namespace engine::kernels;

// A row of b at a time: the inner loop now walks along b and c, and one vector instruction does
// `lanes` steps of it. Bound by loads and stores: three for each fma.
inline void by_rows(MatrixView a, MatrixView b, MutableMatrixView c) {
  for (Index i = 0; i < c.rows; ++i) {
    std::fill(&c(i, 0), &c(i, 0) + c.cols, real(0));
    for (Index k = 0; k < a.cols; ++k)
      for (Index j = 0; j < c.cols; j += lanes)
        store(&c(i, j), fma(splat(a(i, k)), load(&b(k, j)), load(&c(i, j))));
  }
}

// A tile of c of `rows` x 2 vectors: 6 x 2 sums, 2 vectors of b and a broadcast number of `a` are 15
// of 16 registers; with 32 registers, 12 x 2 + 2 + 1 = 27. (gemm has 14 rows there, in 31 registers;
// but 12 divides the ladder's n = 1152.) In a browser 4 x 2, as in gemm.
constexpr int rows = vector_registers == 32 ? 12 : vector_registers == 16 ? 6 : 4, vectors = 2;
constexpr Index width = vectors * lanes;

// A tile of c stays in registers for all of k: a load now serves many fmas.
inline void tile(MatrixView a, const real* b, Index b_stride, MutableMatrixView c, bool add) {
  Vec sum[rows][vectors] = {};
  for (Index k = 0; k < a.cols; ++k)
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v)
        sum[i][v] = fma(splat(a(i, k)), load(b + k * b_stride + v * lanes), sum[i][v]);
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      real* const to = &c(i, v * lanes);
      store(to, add ? load(to) + sum[i][v] : sum[i][v]);
    }
}
inline void register_tile(MatrixView a, MatrixView b, MutableMatrixView c) {
  for (Index i = 0; i < c.rows; i += rows)
    for (Index j = 0; j < c.cols; j += width)
      tile(a.block(i, 0, rows, a.cols), &b(0, j), b.row_stride, c.block(i, j, rows, width), false);
}

// k in blocks, and each block of b copied panel by panel in the order in which the tile reads it:
// no cache line fetched for a part of it, no page touched for one row. A panel, 384 steps of k by 16
// numbers, is 24 KiB (AVX2) and comes from the L2 cache; 6 rows of `a`, 9 KiB, stay in L1. (gemm also
// packs `a` where its rows lie so far apart that they would push each other out of L1.)
inline void packed(MatrixView a, MatrixView b, MutableMatrixView c) {
  constexpr Index depth = 384;
  const engine::Scratch<real> block(depth * b.cols);
  for (Index k0 = 0; k0 < a.cols; k0 += depth) {
    for (Index j = 0; j < b.cols; j += width)
      for (Index k = 0; k < depth; ++k)  // panel j / width begins at (j / width) depth width
        std::copy_n(&b(k0 + k, j), width, block.data() + j * depth + k * width);
    for (Index i = 0; i < c.rows; i += rows)
      for (Index j = 0; j < c.cols; j += width)
        tile(a.block(i, k0, rows, depth), block.data() + j * depth, width,
             c.block(i, j, rows, width), k0 > 0);
  }
}

// Each thread takes rows of c.
inline void threaded(MatrixView a, MatrixView b, MutableMatrixView c) {
  const Index tiles = c.rows / rows,
              share = (tiles + engine::thread_count() - 1) / engine::thread_count();
  engine::parallel_for(tiles, share, [&](Index begin, Index end) {
    const Index first = begin * rows, n = (end - begin) * rows;
    packed(a.block(first, 0, n, a.cols), b, c.block(first, 0, n, c.cols));
  });
}

}  // namespace bench::ladder

namespace bench {

inline void print_ladder() {
  using namespace engine::kernels;
  constexpr Index n = 1152;  // a multiple of every tile and depth above; 5.3 MB a matrix
  const engine::Scratch<real> a_values(n * n), b_values(n * n), c_values(n * n);
  for (Index i = 0; i < n * n; ++i) a_values[i] = b_values[i] = static_cast<real>(i % 7);
  const MatrixView a = matrix(std::as_const(a_values).data(), n, n),
                   b = matrix(std::as_const(b_values).data(), n, n);
  const MutableMatrixView c = matrix(c_values.data(), n, n);
  struct Step {
    const char* text;
    int threads;
    std::function<void()> multiply;
    Index rows = n;  // of c, that it computes
    std::vector<double> speeds = {}, shares = {};
  };
  constexpr Index few = n / 16;  // which are as fast as all, and take a tenth of a second
  Step steps[] = {
      {"three loops", 1,
       [&] { gemm_reference(a.block(0, 0, few, n), b, c.block(0, 0, few, n), Write::overwrite); },
       few},
      {"inner loop along rows, in vectors", 1, [&] { ladder::by_rows(a, b, c); }},
      {"a tile of c in registers", 1, [&] { ladder::register_tile(a, b, c); }},
      {"b packed in blocks", 1, [&] { ladder::packed(a, b, c); }},
      {"gemm, one thread", 1, [&] { gemm(a, b, c, Write::overwrite); }},
      {"packed, two threads", 2, [&] { ladder::threaded(a, b, c); }},
      {"gemm, two threads", 2, [&] { gemm(a, b, c, Write::overwrite); }}};
  // A share is of the peak measured just before and after, so that other programs slow both.
  for (int turn = 0; turn < 5; ++turn)
    for (Step& step : steps) {
      engine::set_thread_count(step.threads);
      const double before = fma_peak(step.threads),
                   speed = 2e-9 * double(step.rows * n * n) / time_of(step.multiply);
      step.speeds.push_back(speed);
      step.shares.push_back(speed / std::max(before, fma_peak(step.threads)));
    }
  std::printf("the ladder, n = %d:\n", static_cast<int>(n));
  for (const Step& step : steps)
    std::printf("  %-44s %8.1f GFLOP/s %6.1f%% of the peak\n", step.text, median(step.speeds),
                100 * median(step.shares));
  std::printf("\n");
}

}  // namespace bench
