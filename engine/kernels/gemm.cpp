// From three loops to the machine's limit.
//
// A core can do two vector fmas a cycle but read only two vectors a cycle, and less from each more
// distant memory. So every value that is read must be used many times while it is near:
//
//     registers   a tile of c: `rows` x 2 vectors are accumulators while k runs. A step of k reads
//                 2 vectors of b and `rows` scalars of a for 2 `rows` fmas.     [micro_kernel]
//     L1          `rows` rows of a, k_block deep, used for every panel of b.
//     L2          a block of b, k_block deep, packed into panels as wide as the tile, used for
//                 every row of a.                                               [multiply]
//     threads     ranges of rows or of columns of c; k is never cut.            [run]
//
// Packing writes a panel in the order in which the micro-kernel reads it. It takes any strides and
// pads with zeros, so that there is one kernel and it knows neither transposition nor edges. What
// lies well already is read in place.
#include "engine/kernels/gemm.h"

#include <array>
#include <cassert>

#include "engine/kernels/simd.h"

namespace engine::kernels {
namespace {

// Registers: 14 x 2 accumulators, 2 vectors of b and a scalar of a of 32; or 6 x 2 + 2 + 1 of 16.
constexpr int max_rows = vector_registers == 32 ? 14 : 6;
constexpr Index width = 2 * lanes;
// A panel of b is 48 KiB, rows of a 21 KiB (AVX-512, float). Deeper reads and writes c less often.
constexpr Index max_depth = 384;
// A block of b takes at most this share of an L2 cache of 1 MiB or more.
constexpr Index block_size = (768 << 10) / sizeof(real);

constexpr Index round_up(Index n, Index multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

constexpr Index padded_rows = round_up(max_rows, lanes);  // of a row of a packed panel of a

// K is cut evenly into blocks of this depth (the last may be shorter).
Index depth_of_blocks(Index k) {
  const Index blocks = std::max<Index>((k + max_depth - 1) / max_depth, 1);
  return round_up(std::max<Index>((k + blocks - 1) / blocks, 1), 16);
}

// --- packing -----------------------------------------------------------------------------------

// panel[k stride + j] = b(k, j) for j < stride, 0 beyond b's columns. stride is a multiple of
// lanes.
void pack(MatrixView b, Index stride, real* panel) {
  if (b.col_stride == 1) {
    for (Index j = 0; j < stride; j += lanes) {
      const real* from = b.data + j;
      real* to = panel + j;
      const Index n = std::clamp<Index>(b.cols - j, 0, lanes);
      if (n == lanes)
        for (Index k = 0; k < b.rows; ++k, from += b.row_stride, to += stride)
          store(to, load(from));
      else
        for (Index k = 0; k < b.rows; ++k, from += b.row_stride, to += stride)
          store(to, n > 0 ? load_part(from, n) : Vec{});
    }
  } else if (b.row_stride == 1) {
    for (Index k = 0; k < b.rows; k += lanes)
      for (Index j = 0; j < stride; j += lanes) {
        const Index depth = std::min<Index>(b.rows - k, lanes);
        Vec square[lanes];
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i) {
          const real* from = b.data + k + (j + i) * b.col_stride;
          square[i] = j + i >= b.cols  ? Vec{}
                      : depth == lanes ? load(from)
                                       : load_part(from, depth);
        }
        transpose(square);
        real* to = panel + k * stride + j;
        if (depth == lanes)
#pragma GCC unroll 16
          for (int i = 0; i < lanes; ++i) store(to + i * stride, square[i]);
        else
          for (Index i = 0; i < depth; ++i) store(to + i * stride, square[i]);
      }
  } else {
    for (Index k = 0; k < b.rows; ++k)
      for (Index j = 0; j < stride; ++j) panel[k * stride + j] = j < b.cols ? b(k, j) : 0;
  }
}

// --- the micro-kernel --------------------------------------------------------------------------

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
};

template <int rows, int vectors>
void micro_kernel(const Tile& tile) {
  Vec sum[rows][vectors] = {};
  const real *a = tile.a, *b = tile.b;
  const Index a_row = tile.a_row, a_k = tile.a_k, b_k = tile.b_k;
  for (Index k = tile.depth; k > 0; --k, a += a_k, b += b_k) {
    Vec b_row[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) b_row[v] = load(b + v * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Vec a_ik = broadcast(a[i * a_row]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sum[i][v] = fma(a_ik, b_row[v], sum[i][v]);
    }
  }
  if (const real* from = tile.from)
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v)
        sum[i][v] = load(from + i * tile.from_row + v * lanes) + sum[i][v];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) store(tile.to + i * tile.to_row + v * lanes, sum[i][v]);
}

using Kernel = void (*)(const Tile&);
template <int... i>
constexpr auto table_of_kernels(std::integer_sequence<int, i...>) {
  return std::array<std::array<Kernel, 2>, max_rows>{
      {{micro_kernel<i + 1, 1>, micro_kernel<i + 1, 2>}...}};
}
constexpr auto kernels = table_of_kernels(std::make_integer_sequence<int, max_rows>());

// c = from + t, for a tile that the kernel cannot write itself: at c's right edge, or with c's
// columns not side by side. from.data may be null: nothing.
void finish(MatrixView t, MatrixView from, MutableMatrixView c) {
  if (c.col_stride != 1 && c.row_stride == 1) {
    alignas(vector_bytes) real turned[width * padded_rows];
    pack(t.transposed(), padded_rows, turned);
    return finish({turned, t.cols, t.rows, padded_rows, 1}, from.transposed(), c.transposed());
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

// --- blocks ------------------------------------------------------------------------------------

struct Problem {          // c = from + a b
  MatrixView a, b, from;  // from.data may be null: nothing
  MutableMatrixView c;
  const PackedMatrix* packed;  // b, or null
};

// What one thread works in: a block of b, and rows of a. 2 MiB: one large page.
struct Workspace {
  Scratch<real> memory{(2 << 20) / sizeof(real)};
  real* b() const { return memory.data(); }
  real* a() const { return memory.data() + memory.size() - padded_rows * max_depth; }
};

// Rows [i0, i1) and columns [j0, j1) of c, on this thread. j0 is a multiple of `width`.
void multiply(const Problem& p, Index i0, Index i1, Index j0, Index j1) {
  static thread_local const Workspace workspace;
  const Index full_depth = depth_of_blocks(p.a.cols);
  const Index panels = (i1 - i0 + max_rows - 1) / max_rows;
  const Index block_cols = block_size / full_depth / width * width;
  const bool b_in_place = p.b.col_stride == 1 && (j1 - j0) % lanes == 0 && i1 - i0 <= 64;

  for (Index j = j0; j < j1; j += block_cols)
    for (Index k = 0; k == 0 || k < p.a.cols; k += full_depth) {
      const Index depth = std::min(full_depth, p.a.cols - k), cols = std::min(block_cols, j1 - j);
      Tile tile{};
      tile.depth = depth;

      const real* block = workspace.b();  // of b: panel after panel
      Index panel_size = depth * width;
      tile.b_k = width;
      if (p.packed != nullptr) {
        block = p.packed->panel(k, depth, j);
      } else if (b_in_place) {
        block = &p.b(k, j);
        panel_size = width;
        tile.b_k = p.b.row_stride;
      } else {
        for (Index jj = 0; jj < cols; jj += width)
          pack(p.b.block(k, j + jj, depth, std::min(width, cols - jj)), width,
               workspace.b() + jj * depth);
      }

      for (Index panel = 0; panel < panels; ++panel) {
        const Index i = i0 + (i1 - i0) * panel / panels;  // rows split evenly: 65 is 5 x 13
        const Index rows = i0 + (i1 - i0) * (panel + 1) / panels - i;
        tile.a = &p.a(i, k);
        tile.a_row = p.a.row_stride;
        tile.a_k = p.a.col_stride;
        if (p.a.col_stride != 1 && cols >= 4 * width) {
          pack(p.a.block(i, k, rows, depth).transposed(), padded_rows, workspace.a());
          tile.a = workspace.a();
          tile.a_row = 1;
          tile.a_k = padded_rows;
        }
        for (Index jj = 0; jj < cols; jj += width) {
          const Index n = std::min(width, cols - jj);
          const MutableMatrixView c = p.c.block(i, j + jj, rows, n);
          MatrixView from = k > 0 ? MatrixView(c) : p.from;
          if (k == 0 && from.data != nullptr) from = from.block(i, j + jj, rows, n);
          const Kernel kernel = kernels[std::size_t(rows - 1)][n > lanes];
          tile.b = block + jj / width * panel_size;
          if (n % lanes == 0 && c.col_stride == 1 &&
              (from.data == nullptr || from.col_stride == 1)) {
            tile.from = from.data;
            tile.from_row = from.row_stride;
            tile.to = c.data;
            tile.to_row = c.row_stride;
            kernel(tile);
          } else {
            alignas(vector_bytes) real t[padded_rows * width];
            tile.from = nullptr;
            tile.to = t;
            tile.to_row = width;
            kernel(tile);
            finish({t, rows, n, width, 1}, from, c);
          }
        }
      }
    }
}

// Vectors of fma that p costs as it stands, packing and writing included; the same of its mirror
// image c^T = b^T a^T can be less (N = 65: the fifth vector of each row has one lane in use).
double cost(const Problem& p) {
  const double m = double(p.a.rows), n = double(p.b.cols), k = double(p.a.cols);
  const double turning = p.c.col_stride == 1 ? 0 : 24;
  const double packing = p.b.col_stride == 1 ? 3 : 8;
  return m * double(round_up(p.b.cols, lanes)) * (k + turning) + k * n * packing;
}

void run(Problem p) {
  const Index m = p.c.rows, n = p.c.cols, k = p.a.cols;
  assert(p.a.rows == m && p.b.cols == n && p.b.rows == k);
  if (m == 0 || n == 0) return;
  if (p.packed == nullptr) {
    const Problem mirrored{p.b.transposed(), p.a.transposed(), p.from.transposed(),
                           p.c.transposed(), nullptr};
    if (cost(mirrored) < cost(p)) p = mirrored;
  }
  // Ranges of a millisecond leave room for balance, shorter ones cost: each packs b for itself.
  const double work = double(m) * double(n) * double(k);
  // A single row takes the time of reading b: 128 KiB are one to two us from the L2 cache.
  const Index threads = work < double(m == 1 ? 1 << 15 : 1 << 21) ? 1 : thread_count();
  const Index ranges = threads * std::clamp<Index>(Index(work / double(threads << 24)), 1, 4);
  const Index rows = p.c.rows, cols = p.c.cols, units = (cols + width - 1) / width;
  if (rows >= cols)
    parallel_for(rows, (rows + ranges - 1) / ranges,
                 [&](Index begin, Index end) { multiply(p, begin, end, 0, cols); });
  else
    parallel_for(units, (units + ranges - 1) / ranges, [&](Index begin, Index end) {
      multiply(p, 0, rows, begin * width, std::min(end * width, cols));
    });
}

// What c starts from.
MatrixView start(MutableMatrixView c, Write write, Epilogue epilogue) {
  assert(write == Write::overwrite || epilogue.bias == nullptr);
  if (write == Write::add) return c;
  return {epilogue.bias, c.rows, c.cols, 0, 1};
}

}  // namespace

PackedMatrix::PackedMatrix(MatrixView b)
    : rows_(b.rows), cols_(b.cols), panels_(b.rows * round_up(b.cols, width)) {
  const Index full_depth = depth_of_blocks(b.rows);
  parallel_for((b.cols + width - 1) / width, 1, [&](Index begin, Index end) {
    for (Index j = begin * width; j < std::min(end * width, b.cols); j += width)
      for (Index k = 0; k < b.rows; k += full_depth) {
        const Index depth = std::min(full_depth, b.rows - k);
        pack(b.block(k, j, depth, std::min(width, b.cols - j)), width,
             const_cast<real*>(panel(k, depth, j)));
      }
  });
}

const real* PackedMatrix::panel(Index k, Index depth, Index j) const {
  return panels_.data() + k * round_up(cols_, width) + j * depth;
}

void gemm(MatrixView a, MatrixView b, MutableMatrixView c, Write write, Epilogue epilogue) {
  run({a, b, start(c, write, epilogue), c, nullptr});
}

void gemm(MatrixView a, const PackedMatrix& b, MutableMatrixView c, Write write,
          Epilogue epilogue) {
  run({a, {nullptr, b.rows(), b.cols(), 1, 0}, start(c, write, epilogue), c, &b});
}

}  // namespace engine::kernels
