// Matrix multiplication near the machine's peak.
//
// A core starts one or two vector fmas per cycle, but loads at most as many vectors from L1, and
// fewer from each slower level. So each loaded value is reused many times while it is in a fast
// level, and memory is prefetched long before it is read:
//
//     registers   a tile of c, `rows` x 2 vectors, accumulates over k. A step of k loads 2 vectors
//                 of b and `rows` scalars of a, for 2 `rows` fmas.           [micro_kernel]
//     L1          `rows` rows of a, reused for every panel of b; a panel is 2 vectors wide.
//     L2          a block of b, reused for every row of a.                   [multiply]
//     memory      lines for the next tiles, prefetched one per step of k.    [PrefetchQueue]
//     threads     split rows or columns of c; k is never split.              [run]
//
// The micro-kernel takes a with any strides, and b with contiguous rows. Packing copies a block
// into panels in the order in which the kernel reads them; it handles strides and pads with zeros,
// so one kernel serves transposed operands and edges. Operands with suitable strides are not
// packed.
#include "engine/kernels/gemm/gemm.h"

#include <cassert>

#include "engine/kernels/gemm/micro_kernel.h"
#include "engine/kernels/gemm/packing.h"
#include "engine/kernels/gemm/problem.h"
#include "engine/kernels/gemm/row.h"

namespace engine::kernels {
namespace {

// Elements in a block of b: 768 KiB leave room in an L2 of 1 MiB for rows of a and c. 576 KiB, a
// whole k block for C = 384, exceed an L2 of 512 KiB slightly: packing a again for a second block
// costs more.
constexpr Index block_size = (large_caches ? 768 << 10 : 576 << 10) / sizeof(real);
// Panels of a packed together, so that memory is read in runs of 448 bytes.
constexpr Index panels_of_a = 112 / max_rows;
// Rows of b, or of a transposed, at most 2 KiB apart are read without packing: a step of k costs at
// most one prefetched L1 miss. Rows farther apart also miss the TLB; and a tile of 6 rows uses too
// little of each line of a transposed.
constexpr Index max_unpacked_stride = large_caches ? 2048 / sizeof(real) : 0;
// Rows at a stride of whole pages map to the same cache set: its 8 to 12 ways in L1 hold 6 rows of
// a, but not 14.
constexpr Index page = 4096 / sizeof(real);

// A gap of one line between panels maps them to different L1 sets, since packing writes to many
// panels at once.
constexpr Index panel_gap = line;

bool a_in_place(const Problem& p) {
  return (p.a.col_stride == 1 &&
          (p.a.row_stride % page != 0 || std::min<Index>(p.a.rows, max_rows) <= 6)) ||
         (p.a.row_stride == 1 && p.a.col_stride <= max_unpacked_stride);
}
bool b_in_place(const Problem& p) {
  if (p.packed != nullptr || p.b.col_stride != 1 || p.b.cols % lanes != 0) return false;
  const Index rows = p.a.rows;  // uses of each panel; packing it costs as much as 8
  return p.b.row_stride <= max_unpacked_stride || rows <= 64 ||
         (large_caches && rows <= 256 && p.b.row_stride % page != 0);
}

// A last tile of one column, as for vocabularies of 65 and 50257.
bool is_lone_column(const Tile& tile, Index rows, Index cols) {
  return cols == 1 && tile.a_k == 1 && rows > max_rows / 2;
}

// c = from + a b for one tile of c, rows x n with n <= width; a, b and depth are set in `tile`.
void multiply_tile(Tile& tile, Index rows, MatrixView from, MutableMatrixView c) {
  const MicroKernel kernel = at(micro_kernels, rows - 1)[c.cols > lanes];
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
    if (is_lone_column(tile, rows, c.cols))
      column_kernel(tile, rows);
    else
      kernel(tile);
    store_tile({t, rows, c.cols, width, 1}, from, c);
  }
}

// One thread's memory for packing: a block of b, and panels of a. 2 MiB: one huge page.
struct Workspace {
  Scratch<real> memory{(2 << 20) / sizeof(real)};
  real* b() const { return memory.data(); }
  real* a() const {
    return memory.data() + memory.size() - panels_of_a * (padded_rows * max_depth + panel_gap);
  }
};

// Rows [i0, i1) and columns [j0, j1) of c, on this thread; j0 is a multiple of `width`.
void multiply(const Problem& p, Index i0, Index i1, Index j0, Index j1) {
  static thread_local const Workspace workspace;
  const Index full_depth = depth_of_blocks(p.a.cols);
  const Index blocks = ceil_div(j1 - j0, block_size / full_depth);
  const Index full_cols = round_up(ceil_div(j1 - j0, blocks), width);
  const Index panels = ceil_div(i1 - i0, max_rows);
  const Index rows_of_panel = (i1 - i0) / panels, longer = (i1 - i0) % panels;
  const auto first_row = [&](Index panel) {  // rows are split evenly: 65 are 5 x 13
    return i0 + panel * rows_of_panel + std::min(panel, longer);
  };
  const auto rows_of_a = [&](Index panel, Index count, Index k, Index depth) {
    const Index i = first_row(panel), end = first_row(std::min(panel + count, panels));
    return p.a.block(i, k, end - i, depth);
  };

  for (Index j = j0; j < j1; j += full_cols)
    for (Index k = 0; k == 0 || k < p.a.cols; k += full_depth) {
      const Index depth = std::min(full_depth, p.a.cols - k), cols = std::min(full_cols, j1 - j);
      Tile tile{};
      tile.depth = depth;

      const real* block = workspace.b();  // the block of b, as panels
      Index panel_size = depth * width + panel_gap;
      tile.b_k = width;
      if (p.packed != nullptr) {
        block = p.packed->panel(k, depth, j);
        panel_size = depth * width;
      } else if (b_in_place(p)) {
        block = p.b.block(k, j, depth, cols).data;
        panel_size = width;
        tile.b_k = p.b.row_stride;
      } else {
        const auto first_col = [](Index panel) { return panel * width; };
        pack<width>(p.b.block(k, j, depth, cols), ceil_div(cols, width), first_col, panel_size,
                    workspace.b());
      }

      // The block after this one, if next_j < j1.
      const bool same_j = k + depth < p.a.cols;
      const Index next_k = same_j ? k + depth : 0, next_j = same_j ? j : j + full_cols;
      const Index next_depth = std::min(full_depth, p.a.cols - next_k);
      PrefetchQueue next_a, next_b, next_c;
      if (p.packed == nullptr && next_j < j1)
        next_b =
            PrefetchQueue(p.b.block(next_k, next_j, next_depth, std::min(full_cols, j1 - next_j)));

      const bool in_place = a_in_place(p) || cols < 4 * width;
      const Index group = in_place ? 1 : panels_of_a;
      for (Index panel = 0; panel < panels; ++panel) {
        const Index i = first_row(panel), rows = first_row(panel + 1) - i;
        if (panel % group == 0)
          next_a = panel + group < panels ? PrefetchQueue(rows_of_a(panel + group, group, k, depth))
                   : next_j < j1          ? PrefetchQueue(rows_of_a(0, group, next_k, next_depth))
                                          : PrefetchQueue();
        if (panel + 1 < panels)
          next_c = PrefetchQueue(p.c.block(i + rows, j, first_row(panel + 2) - i - rows, cols));
        if (in_place) {
          tile.a = p.a.block(i, k, rows, depth).data;
          tile.a_row = p.a.row_stride;
          tile.a_k = p.a.col_stride;
        } else {
          if (panel % group == 0) {
            pack<padded_rows>(
                rows_of_a(panel, group, k, depth).transposed(), std::min(group, panels - panel),
                [&](Index n) { return first_row(panel + n) - i; }, depth * padded_rows + panel_gap,
                workspace.a());
          }
          tile.a = workspace.a() + panel % group * (depth * padded_rows + panel_gap);
          tile.a_row = 1;
          tile.a_k = padded_rows;
        }
        for (Index jj = 0; jj < cols; jj += width) {
          if (!next_a.prefetch_in(tile) && !next_c.prefetch_in(tile) && !next_b.prefetch_in(tile))
            tile.prefetch = {block, block, -line, 0};  // nothing left: the same line every time
          const Index n = std::min(width, cols - jj);
          const MutableMatrixView c = p.c.block(i, j + jj, rows, n);
          MatrixView from = k > 0 ? MatrixView(c) : p.from;
          if (k == 0 && from.data != nullptr) from = from.block(i, j + jj, rows, n);
          tile.b = block + jj / width * panel_size;
          multiply_tile(tile, rows, from, c);
        }
      }
    }
}

// The cost of p in vector fmas, packing and transposed tiles included. The transposed product
// c^T = b^T a^T can cost less: 65 columns are 4 full vectors and one with a single lane in use, but
// 65 rows are 5 x 13.
double cost(const Problem& p) {
  const double m = double(p.a.rows), n = double(p.b.cols), k = double(p.a.cols);
  const double transposing =
      p.c.col_stride == 1 ? 0 : 48 * double(ceil_div(p.a.cols, depth_of_blocks(p.a.cols)));
  const double packing_b = b_in_place(p) || one_row_kernel(p) != nullptr ? 0
                           : p.b.col_stride == 1                         ? 8
                                                                         : 12;
  const double packing_a = a_in_place(p) ? 0 : 8;
  const double lone_column = p.b.cols % lanes == 1 && p.a.col_stride == 1 ? lanes - 6 : 0;
  return m * (double(round_up(p.b.cols, lanes)) - lone_column) * (k + transposing) +
         k * (n * packing_b + m * packing_a);
}

void run(Problem p) {
  assert(p.a.rows == p.c.rows && p.b.cols == p.c.cols && p.b.rows == p.a.cols);
  if (p.c.rows == 0 || p.c.cols == 0) return;
  if (p.packed == nullptr) {
    const Problem transposed{p.b.transposed(), p.a.transposed(), p.from.transposed(),
                             p.c.transposed(), nullptr};
    if (cost(transposed) < cost(p)) p = transposed;
  }
  // Products that take less than about 5 us run on one thread, since waking another costs more. A
  // single row takes the time of reading b: 128 KiB in 1 to 2 us from L2.
  const double work = double(p.c.rows) * double(p.c.cols) * double(p.a.cols);
  const Index threads = work < double(p.c.rows == 1 ? 1 << 15 : 1 << 18) ? 1 : thread_count();
  const Index rows = p.c.rows, cols = p.c.cols, panels = ceil_div(cols, width);
  // Several ranges per thread balance the load, but each range packs the other operand again, which
  // is cheap from 1024 rows or columns on.
  const Index ranges =
      std::clamp(std::max(rows, cols) / 1024 / threads, Index(1), Index(4)) * threads;
  if (const auto kernel = one_row_kernel(p))
    parallel_for(panels, ceil_div(panels, ranges), [&](Index begin, Index end) {
      kernel(p, begin * width, std::min(end * width, cols));
    });
  else if (rows >= cols)
    parallel_for(rows, ceil_div(rows, ranges),
                 [&](Index begin, Index end) { multiply(p, begin, end, 0, cols); });
  else
    parallel_for(panels, ceil_div(panels, ranges), [&](Index begin, Index end) {
      multiply(p, 0, rows, begin * width, std::min(end * width, cols));
    });
}

// The value to which a b is added: c itself, the bias broadcast to all rows, or null for 0.
MatrixView initial_value(MutableMatrixView c, Write write, Epilogue epilogue) {
  assert(write == Write::overwrite || epilogue.bias == nullptr);
  if (write == Write::add) return c;
  return {epilogue.bias, c.rows, c.cols, 0, 1};
}

}  // namespace

PackedMatrix::PackedMatrix(MatrixView b)
    : rows_(b.rows), cols_(b.cols), panels_(b.rows * round_up(b.cols, width)) {
  const Index full_depth = depth_of_blocks(b.rows);
  parallel_for(ceil_div(b.cols, width), 1, [&](Index begin, Index end) {
    const Index j = begin * width, cols = std::min(end * width, b.cols) - j;
    for (Index k = 0; k < b.rows; k += full_depth) {
      const Index depth = std::min(full_depth, b.rows - k);
      pack<width>(
          b.block(k, j, depth, cols), end - begin, [](Index p) { return p * width; }, depth * width,
          const_cast<real*>(panel(k, depth, j)));
    }
  });
}

const real* PackedMatrix::panel(Index k, Index depth, Index j) const {
  return panels_.data() + k * round_up(cols_, width) + j * depth;
}

void gemm(MatrixView a, MatrixView b, MutableMatrixView c, Write write, Epilogue epilogue) {
  run({a, b, initial_value(c, write, epilogue), c, nullptr});
}

void gemm(MatrixView a, const PackedMatrix& b, MutableMatrixView c, Write write,
          Epilogue epilogue) {
  run({a, {nullptr, b.rows(), b.cols(), 1, 0}, initial_value(c, write, epilogue), c, &b});
}

}  // namespace engine::kernels
