// Matrix multiplication near the machine's peak: the loops.
//
// A core starts one or two vector fmas per cycle, but loads at most as many vectors from L1, and
// fewer from each slower level. So each loaded value is reused many times while it is in a fast
// level, and memory is prefetched long before it is read:
//
//     registers   a tile of c, `rows` x 2 vectors, accumulates over k. A step of k loads 2 vectors
//                 of b and `rows` scalars of a, for 2 `rows` fmas.        [micro_kernel.h, tile.h]
//     L1          `rows` rows of a, reused for every panel of b; a panel is 2 vectors wide.
//     L2          a block of b, reused for every row of a.                [multiply]
//     memory      lines for the next tiles, prefetched one per step of k. [prefetch.h]
//     threads     split rows or columns of c; k is never split.           [plan.h, run]
//
// (Goto and van de Geijn, 2008, and BLIS keep a block of a in L2 and a panel of b in L1: their
// vectors run down the columns of c, and b is broadcast. The operand that is broadcast takes `rows`
// loads a step, the other takes 2, so the broadcast operand should be in L1: the same scheme, for
// c^T.)
//
// The micro-kernel takes b in panels, `a` with any strides. Packing copies a block into panels in
// the order in which the kernel reads them; it handles strides and pads with zeros, so one kernel
// serves transposed operands and edges. Rows of `a` with suitable strides are not packed.
#include "engine/kernels/gemm/gemm.h"

#include <cassert>

#include "engine/base/check.h"
#include "engine/kernels/gemm/packing.h"
#include "engine/kernels/gemm/plan.h"
#include "engine/kernels/gemm/prefetch.h"
#include "engine/kernels/gemm/problem.h"
#include "engine/kernels/gemm/row.h"
#include "engine/kernels/gemm/tile.h"

namespace engine::kernels {
namespace {

// How many tiles' rows of `a` are packed together, so that a transposed `a` is read in runs of 448
// bytes. (Tile by tile, a product takes 3 to 8 % longer with 6 rows; no difference with 14.)
constexpr Index tiles_packed_together = 112 / max_rows;

// Elements of a tile's packed rows of `a`, at most: a panel, or rows that round_rows has written.
constexpr Index packed_tile =
    std::max(padded_rows * max_depth + panel_gap, max_rows*(max_depth + line));

// One thread's memory for packing: a block of b, and rows of `a`. 2 MiB: one huge page.
struct Workspace {
  Scratch<real> memory{(2 << 20) / sizeof(real)};
  real* b() const { return memory.data(); }
  real* a() const { return memory.data() + memory.size() - tiles_packed_together * packed_tile; }
};

// A block of b as panels of `width` columns.
template <Precision precision>
Panels panels_of_b(const Problem& p, const Block& block, real* memory) {
  if (p.packed != nullptr)
    return {.data = p.packed->panel(block.k, block.depth, block.j), .size = block.depth * width};
  const MatrixView b = p.block_of_b(block.k, block.depth, block.j, block.cols);
  const Index panel_size = block.depth * width + panel_gap;
  pack<width, precision>(
      b, ceil_div(block.cols, width), [](Index panel) { return panel * width; }, panel_size,
      memory);
  return {.data = memory, .size = panel_size};
}

// Rows of `a` for tiles [first, last): a panel for each tile, or a single one if not packed.
template <Precision precision>
Panels panels_of_a(const Problem& p, const TileRows& row, Index first, Index last,
                   const Block& block, real* memory) {
  const MatrixView a = p.block_of_a(row[first], row[last] - row[first], block.k, block.depth);
  if (reads_a_in_place(p))
    return {.data = a.data, .size = 0, .step = a.col_stride, .next = a.row_stride};
  if (precision == Precision::bfloat16 && a.col_stride == 1) {
    // No need to transpose. Rows a line apart from multiples of 2 KiB lie in different L1 sets.
    const Index row_size = block.depth + line, size = max_rows * row_size;
    for (Index tile = first; tile < last; ++tile)
      round_rows(a.block(row[tile] - row[first], 0, row[tile + 1] - row[tile], a.cols), row_size,
                 memory + (tile - first) * size);
    return {.data = memory, .size = size, .step = 1, .next = row_size};
  }
  const Index panel_size = block.depth * padded_rows + panel_gap;
  pack<padded_rows, precision>(
      a.transposed(), last - first, [&](Index panel) { return row[first + panel] - row[first]; },
      panel_size, memory);
  return {.data = memory, .size = panel_size, .step = padded_rows, .next = 1};
}

// Rows [i0, i1) and columns [j0, j1) of c, on this thread; j0 is a multiple of `width`.
template <Precision precision>
void multiply(const Problem& p, Index i0, Index i1, Index j0, Index j1) {
  static thread_local const Workspace workspace;
  const Blocks blocks(p.steps(), j0, j1);
  const TileRows row(i0, i1);
  const Index group = reads_a_in_place(p) ? 1 : tiles_packed_together;
  const auto rows_of_a = [&](Index first, const Block& block) {  // of a group of tiles
    const Index last = std::min(first + group, row.count());
    return p.block_of_a(row[first], row[last] - row[first], block.k, block.depth);
  };

  for (Index n = 0; n < blocks.count(); ++n) {
    const Block block = blocks[n], next = blocks[n + 1];
    const Panels b = panels_of_b<precision>(p, block, workspace.b());
    Ahead ahead;
    if (p.packed == nullptr)
      ahead.b = PrefetchQueue(p.block_of_b(next.k, next.depth, next.j, next.cols));

    for (Index first = 0; first < row.count(); first += group) {
      const Index last = std::min(first + group, row.count());
      const Panels a = panels_of_a<precision>(p, row, first, last, block, workspace.a());
      ahead.a = PrefetchQueue(last < row.count() ? rows_of_a(last, block) : rows_of_a(0, next));

      for (Index tile = first; tile < last; ++tile) {
        const Index i = row[tile], rows = row[tile + 1] - i;
        if (tile + 1 < row.count())
          ahead.c =
              PrefetchQueue(p.c.block(i + rows, block.j, row[tile + 2] - i - rows, block.cols));

        for (Index panel = 0; panel * width < block.cols; ++panel) {
          const Index j = block.j + panel * width;
          const Index cols = std::min(width, block.cols - panel * width);
          const MutableMatrixView c = p.c.block(i, j, rows, cols);
          Tile t{.depth = block.depth,
                 .a = a[tile - first],
                 .a_row = a.next,
                 .a_k = a.step,
                 .b = b[panel]};
          ahead.prefetch_in(t);
          multiply_tile<precision>(t, rows, start_of(p, block.k, i, j, c), c);
        }
      }
    }
  }
}

void run(const Problem& given) {
  assert(given.a.rows == given.c.rows && given.b.cols == given.c.cols &&
         given.b.rows == given.a.cols);
  if (given.c.rows == 0 || given.c.cols == 0) return;
  const Problem p = cheaper_of_both(given);
  const Index rows = p.c.rows, cols = p.c.cols, panels = ceil_div(cols, width);
  const Index ranges = count_of_ranges(p);
  const RowKernel row_kernel = one_row_kernel(p);
  const auto multiply = p.precision == Precision::bfloat16 ? kernels::multiply<Precision::bfloat16>
                                                           : kernels::multiply<Precision::float32>;
  if (row_kernel == nullptr && rows >= cols) {
    parallel_for(rows, ceil_div(rows, ranges),
                 [&](Index begin, Index end) { multiply(p, begin, end, 0, cols); });
    return;
  }
  parallel_for(panels, ceil_div(panels, ranges), [&](Index begin, Index end) {
    const Index j0 = begin * width, j1 = std::min(end * width, cols);
    row_kernel != nullptr ? row_kernel(p, j0, j1) : multiply(p, 0, rows, j0, j1);
  });
}

// The offset, in a PackedMatrix of `cols` columns, of the panel that starts at column j in the
// block of steps [k, k + depth).
Index panel_offset(Index k, Index depth, Index j, Index cols) {
  return k * round_up(cols, width) + j * depth;
}

// Packs all of b: one block of k after another, each as panels.
template <Precision precision>
void pack_all(MatrixView b, real* to) {
  const Index steps = steps_of(b.rows, precision), full_depth = depth_of_blocks(steps);
  parallel_for(ceil_div(b.cols, width), 1, [&](Index begin, Index end) {
    const Index j = begin * width, cols = std::min(end * width, b.cols) - j;
    for (Index step = 0; step < steps; step += full_depth) {
      const Index depth = std::min(full_depth, steps - step), k = step * k_per_step(precision),
                  k_end = std::min((step + depth) * k_per_step(precision), b.rows);
      pack<width, precision>(
          b.block(k, j, k_end - k, cols), end - begin, [](Index p) { return p * width; },
          depth * width, to + panel_offset(step, depth, j, b.cols));
    }
  });
}

// What the product is added to: c itself, the bias broadcast to all rows, or null for 0.
MatrixView initial_value(MutableMatrixView c, Write write, const real* bias) {
  assert(write == Write::overwrite || bias == nullptr);
  if (write == Write::add) return c;
  return {bias, c.rows, c.cols, 0, 1};
}

}  // namespace

PackedMatrix::PackedMatrix(MatrixView b)
    : rows_(b.rows),
      cols_(b.cols),
      precision_(product_precision()),
      panels_(steps_of(b.rows, precision_) * round_up(b.cols, width)) {
  const auto pack_panels = precision_ == Precision::bfloat16 ? pack_all<Precision::bfloat16>
                                                             : pack_all<Precision::float32>;
  pack_panels(b, panels_.data());
}

const real* PackedMatrix::panel(Index k, Index depth, Index j) const {
  return panels_.data() + panel_offset(k, depth, j, cols_);
}

Precision detail::precision_of_products = Precision::float32;
Precision product_precision() { return detail::precision_of_products; }
void set_product_precision(Precision precision) {
  check(
      precision != Precision::bfloat16 || has_bfloat16_products(),
      "product precision: bfloat16 needs AVX512-BF16, which this CPU or this build does not have");
  detail::precision_of_products = precision;
}

void gemm(MatrixView a, MatrixView b, MutableMatrixView c, Write write, const real* bias,
          Precision precision) {
  run({.a = a,
       .b = b,
       .from = initial_value(c, write, bias),
       .c = c,
       .packed = nullptr,
       .precision = precision});
}

void gemm(MatrixView a, const PackedMatrix& b, MutableMatrixView c, Write write, const real* bias) {
  run({.a = a,
       .b = {nullptr, b.rows(), b.cols(), 1, 0},
       .from = initial_value(c, write, bias),
       .c = c,
       .packed = &b,
       .precision = b.precision()});
}

}  // namespace engine::kernels
