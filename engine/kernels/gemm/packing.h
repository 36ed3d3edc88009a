// Packing: copies a block of a matrix, with any strides, into the order in which gemm reads it:
// panels of `stride` columns, each step of k a few whole vectors, padded with zeros at the right
// edge.
#pragma once

#include <algorithm>

#include "engine/kernels/matrix_view.h"
#include "engine/kernels/simd.h"

namespace engine::kernels {

inline constexpr Index line = 64 / sizeof(real);  // elements in a cache line

// A gap of one line between panels maps them to different L1 sets, since packing writes to many
// panels at once. (Up to 3 % with 14 rows, 10 to 29 % with 6.)
inline constexpr Index panel_gap = line;

// A block of an operand as the micro-kernel reads it: panels `size` elements apart; in a panel,
// steps of k `step` apart, and the rows or columns of one step `next` apart.
struct Panels {
  const real* data;
  Index size, step, next;
  const real* operator[](Index panel) const { return data + panel * size; }
};

// columns[k][i] = from[i * stride + k] for i < n and k < depth, 0 for other i.
inline void load_columns(const real* from, Index stride, Index depth, Index n,
                         Vec (&columns)[lanes]) {
  if (n >= lanes && depth == lanes) {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) columns[i] = load(from + i * stride);
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      columns[i] = i < n ? load_part(from + i * stride, depth) : Vec{};
  }
  transpose(columns);
}

// panel[k * stride + j] = b(k, start + j) for j < stride, 0 beyond b's columns, for `panels` panels
// panel_size apart; start(p) is the first column of panel p, stride a multiple of lanes.
template <Index stride, class Start>
void pack(MatrixView b, Index panels, Start start, Index panel_size, real* to) {
  if (b.col_stride == 1) {  // rows are contiguous: read along them
    Index whole = panels;   // panels with all `stride` columns inside b
    while (whole > 0 && start(whole - 1) + stride > b.cols) --whole;
    for (Index k = 0; k < b.rows; ++k) {
      const real* const in = b.data + k * b.row_stride;
      real* const out = to + k * stride;
      for (Index p = 0; p < whole; ++p) {
        // Hardware prefetching does not reach that far: 4 to 14 % with 6 rows and cold caches.
        for (Index j = 0; j < stride; j += line)
          __builtin_prefetch(in + start(p) + j + 32 * b.row_stride, 0, 2);
#pragma GCC unroll 4
        for (Index j = 0; j < stride; j += lanes)
          store(out + p * panel_size + j, load(in + start(p) + j));
      }
      for (Index p = whole; p < panels; ++p)
        for (Index j = 0; j < stride; j += lanes) {
          const Index n = std::clamp<Index>(b.cols - start(p) - j, 0, lanes);
          store(out + p * panel_size + j, load_part(in + start(p) + j, n));
        }
    }
  } else if (b.row_stride == 1) {  // columns are contiguous: transpose squares of lanes x lanes
    for (Index p = 0; p < panels; ++p)
      for (Index j = 0; j < stride; j += lanes) {
        const Index n = std::min<Index>(b.cols - start(p) - j, lanes);
        for (Index k = 0; k < b.rows; k += lanes) {
          const Index depth = std::min<Index>(b.rows - k, lanes);
          const real* const in = b.data + k + (start(p) + j) * b.col_stride;
          real* const out = to + p * panel_size + k * stride + j;
          Vec columns[lanes];
          load_columns(in, b.col_stride, depth, n, columns);
#pragma GCC unroll 16
          for (int i = 0; i < lanes; ++i)
            if (i < depth) store(out + i * stride, columns[i]);
        }
      }
  } else {
    for (Index p = 0; p < panels; ++p)
      for (Index k = 0; k < b.rows; ++k)
        for (Index j = 0; j < stride; ++j)
          to[p * panel_size + k * stride + j] = start(p) + j < b.cols ? b(k, start(p) + j) : 0;
  }
}

}  // namespace engine::kernels
