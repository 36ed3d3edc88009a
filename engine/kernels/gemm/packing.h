// Packing: copies a block of a matrix, with any strides, into the order in which gemm reads it:
// panels of `stride` columns, each step of k a few whole vectors, padded with zeros at the right
// edge. An element of a panel has the size of a real: in float32 an element is one number and a
// step is one k; in bfloat16 an element is a pair and a step is two k, the last one padded with
// zeros if the number of k is odd.
#pragma once

#include <algorithm>

#include "engine/base/index.h"
#include "engine/kernels/bfloat16.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/simd.h"

namespace engine::kernels {

inline constexpr Index line = 64 / sizeof(real);  // elements in a cache line

// A gap of one line between panels maps them to different L1 sets, since packing writes to many
// panels at once. (Up to 3 % with 14 rows, 10 to 29 % with 6.)
inline constexpr Index panel_gap = line;

constexpr Index k_per_step(Precision precision) { return precision == Precision::bfloat16 ? 2 : 1; }
constexpr Index steps_of(Index k, Precision precision) {
  return ceil_div(k, k_per_step(precision));
}

// A block of an operand as the micro-kernel reads it: panels `size` elements apart; in a panel,
// steps of k `step` apart, and the rows of one step `next` apart. (The micro-kernel knows both of
// b's: `width` and 1.)
struct Panels {
  const real* data;
  Index size, step = 0, next = 0;
  const real* operator[](Index panel) const { return data + panel * size; }
};

// to[i * stride + s] = step s of row i in bfloat16. These are rows, not a panel; the micro-kernel
// takes either for its operand `a`.
inline void round_rows(MatrixView a, Index stride, real* to) {
  for (Index i = 0; i < a.rows; ++i, to += stride) {
    Index k = 0;
    if (a.col_stride == 1) {
      const real* const row = a.data + i * a.row_stride;
      for (; k + 2 * lanes <= a.cols; k += 2 * lanes)
        store_pairs(to + k / 2, pairs_of_neighbors(load(row + k), load(row + k + lanes)));
      const Index first = std::min<Index>(a.cols - k, lanes), second = a.cols - k - first;
      store_part(to + k / 2,
                 from_bits(pairs_of_neighbors(load_part(row + k, first),
                                              load_part(row + k + first, second))),
                 ceil_div(a.cols - k, 2));
    } else {
      for (; k < a.cols; k += 2) store_pair(to + k / 2, a(i, k), k + 1 < a.cols ? a(i, k + 1) : 0);
    }
  }
}

// columns[s][i] = step s of row i: from[i * stride + k] for its k < depth, 0 for other k, and 0 for
// rows i >= n. Inlined, so that the columns stay in registers.
template <Precision precision = Precision::float32>
[[gnu::always_inline]] inline void load_columns(const real* from, Index stride, Index depth,
                                                Index n, Vec (&columns)[lanes]) {
  constexpr Index all = lanes * k_per_step(precision);
  const auto load_row = [](const real* row, auto load_lanes) {
    if constexpr (precision == Precision::float32)
      return load_lanes(row, 0);
    else
      return from_bits(pairs_of_neighbors(load_lanes(row, 0), load_lanes(row + lanes, lanes)));
  };
  if (n >= lanes && depth == all) {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      columns[i] = load_row(from + i * stride, [](const real* in, Index) { return load(in); });
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      columns[i] = i < n ? load_row(from + i * stride,
                                    [&](const real* in, Index k) {
                                      return load_part(in, std::clamp<Index>(depth - k, 0, lanes));
                                    })
                         : Vec{};
  }
  transpose(columns);
}

// pack and its three ways: panel[s * stride + j] = step s of b's column start + j for j < stride, 0
// beyond b's columns, for `panels` panels panel_size apart; start(p) is the first column of panel
// p, stride a multiple of lanes.

// If rows of b are contiguous: reads along them.
template <Index stride, Precision precision, class Start>
void pack_rows(MatrixView b, Index panels, Start start, Index panel_size, real* to) {
  constexpr Index ks = k_per_step(precision);
  Index whole = panels;  // panels with all `stride` columns inside b
  while (whole > 0 && start(whole - 1) + stride > b.cols) --whole;
  for (Index k = 0; k < b.rows; k += ks) {
    const real* const in = b.data + k * b.row_stride;
    real* const out = to + k / ks * stride;
    const auto step = [&](const real* at, auto load_lanes) {
      if constexpr (precision == Precision::float32)
        return load_lanes(at);
      else
        return from_bits(
            pairs_of_lanes(load_lanes(at), k + 1 < b.rows ? load_lanes(at + b.row_stride) : Vec{}));
    };
    for (Index p = 0; p < whole; ++p) {
      // Hardware prefetching does not reach that far: 4 to 14 % with 6 rows and cold caches.
      for (Index j = 0; j < stride; j += line)
        for (Index row = 32; row < 32 + ks; ++row)
          __builtin_prefetch(in + start(p) + j + row * b.row_stride, 0, 2);
#pragma GCC unroll 4
      for (Index j = 0; j < stride; j += lanes)
        store(out + p * panel_size + j, step(in + start(p) + j, load));
    }
    for (Index p = whole; p < panels; ++p)
      for (Index j = 0; j < stride; j += lanes) {
        const Index n = std::clamp<Index>(b.cols - start(p) - j, 0, lanes);
        store(out + p * panel_size + j,
              step(in + start(p) + j, [&](const real* at) { return load_part(at, n); }));
      }
  }
}

// If columns of b are contiguous: transposes squares of lanes x lanes.
template <Index stride, Precision precision, class Start>
void pack_columns(MatrixView b, Index panels, Start start, Index panel_size, real* to) {
  constexpr Index ks = k_per_step(precision);
  for (Index p = 0; p < panels; ++p)
    for (Index j = 0; j < stride; j += lanes) {
      const Index n = std::min<Index>(b.cols - start(p) - j, lanes);
      for (Index k = 0; k < b.rows; k += lanes * ks) {
        const Index depth = std::min<Index>(b.rows - k, lanes * ks);
        const real* const in = b.data + k + (start(p) + j) * b.col_stride;
        real* const out = to + p * panel_size + k / ks * stride + j;
        Vec columns[lanes];
        load_columns<precision>(in, b.col_stride, depth, n, columns);
#pragma GCC unroll 16
        for (int i = 0; i < lanes; ++i)
          if (i * ks < depth) store(out + i * stride, columns[i]);
      }
    }
}

// Any strides: element by element.
template <Index stride, Precision precision, class Start>
void pack_elements(MatrixView b, Index panels, Start start, Index panel_size, real* to) {
  constexpr Index ks = k_per_step(precision);
  for (Index p = 0; p < panels; ++p)
    for (Index k = 0; k < b.rows; k += ks)
      for (Index j = 0; j < stride; ++j) {
        const auto element = [&](Index row) {
          return row < b.rows && start(p) + j < b.cols ? b(row, start(p) + j) : 0;
        };
        real* const out = to + p * panel_size + k / ks * stride + j;
        if constexpr (precision == Precision::float32)
          *out = element(k);
        else
          store_pair(out, element(k), element(k + 1));
      }
}

template <Index stride, Precision precision = Precision::float32, class Start>
void pack(MatrixView b, Index panels, Start start, Index panel_size, real* to) {
  if (b.col_stride == 1)
    pack_rows<stride, precision>(b, panels, start, panel_size, to);
  else if (b.row_stride == 1)
    pack_columns<stride, precision>(b, panels, start, panel_size, to);
  else
    pack_elements<stride, precision>(b, panels, start, panel_size, to);
}

}  // namespace engine::kernels
