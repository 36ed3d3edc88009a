// What gemm decides before it multiplies: the product or its mirror image, whether `a` is packed,
// and how threads split the work. Gains are the time without the rule over the time with it, on
// README's shapes on a Zen 5 (AVX-512, and by ARCH=x86-64-v3); tests/bench/gemm.cpp.
#pragma once

#include <algorithm>

#include "engine/base/thread_pool.h"
#include "engine/kernels/gemm/problem.h"
#include "engine/kernels/gemm/row.h"

namespace engine::kernels {

// Rows of a^T at most 2 KiB apart are read without packing: a step of k costs at most one
// prefetched L1 miss. Rows farther apart also miss the TLB; and a tile of 6 rows uses too little of
// each line of a^T.
inline constexpr Index max_unpacked_stride = large_caches ? 2048 / sizeof(real) : 0;
// Rows at a stride of whole pages map to the same cache set: its 8 to 12 ways in L1 hold 6 rows of
// `a`, but not 14.
inline constexpr Index page = 4096 / sizeof(real);

// Whether the layout of `a` allows reading it without packing, which would cost 2 to 28 % of the
// time.
inline bool reads_a_in_place(const Problem& p) {
  if (p.precision == Precision::bfloat16) return false;
  return (p.a.col_stride == 1 &&
          (p.a.row_stride % page != 0 || std::min<Index>(p.a.rows, max_rows) <= 6)) ||
         (p.a.row_stride == 1 && p.a.col_stride <= max_unpacked_stride);
}

// The cost of p in vector fmas (in bfloat16, in sums of products of pairs, which take as long),
// with packing and transposed tiles.
inline double cost(const Problem& p) {
  const double m = double(p.a.rows), n = double(p.b.cols), k = double(p.steps());
  const double transposing =
      p.c.col_stride == 1 ? 0 : 48 * double(ceil_div(p.steps(), depth_of_blocks(p.steps())));
  const double packing_b = one_row_kernel(p) != nullptr ? 0 : p.b.col_stride == 1 ? 8 : 12;
  const double packing_a = reads_a_in_place(p) ? 0 : 8;
  const bool has_column_kernel = p.a.col_stride == 1 && p.precision == Precision::float32;
  const double lone_column = p.b.cols % lanes == 1 && has_column_kernel ? lanes - 6 : 0;
  return m * (double(round_up(p.b.cols, lanes)) - lone_column) * (k + transposing) +
         k * (n * packing_b + m * packing_a);
}

// c^T = b^T a^T instead of c = a b, if that costs less. Rows are padded to a tile's height and
// columns to whole vectors, so few columns are better as rows. (1.2 to 2.8 times as fast for up to
// 8 columns and a transposed `a`, 1.3 to 1.7 for 16 rows and a transposed b. A step at (256 x 16,
// 6, 384) takes 4 % longer without it with AVX2, on a Zen 4, since its attention has p^T dO.)
inline Problem cheaper_of_both(const Problem& p) {
  if (p.packed != nullptr) return p;
  const Problem mirrored{.a = p.b.transposed(),
                         .b = p.a.transposed(),
                         .from = p.from.transposed(),
                         .c = p.c.transposed(),
                         .packed = nullptr,
                         .precision = p.precision};
  return cost(mirrored) < cost(p) ? mirrored : p;
}

// The number of ranges of c's rows or columns; threads take one range after another.
inline Index count_of_ranges(const Problem& p) {
  // Products that take less than about 5 us run on one thread, since waking another costs more. A
  // single row takes the time of reading b: 128 KiB in 1 to 2 us from L2.
  const double work = double(p.c.rows) * double(p.c.cols) * double(p.steps());
  const Index threads = work < double(p.c.rows == 1 ? 1 << 15 : 1 << 18) ? 1 : thread_count();
  // Several ranges per thread balance the load, but each range packs the other operand again, which
  // is cheap from 1024 rows or columns on.
  return std::clamp(std::max(p.c.rows, p.c.cols) / 1024 / threads, Index(1), Index(4)) * threads;
}

}  // namespace engine::kernels
