// Scores, softmax and weighted values of a block of queries, for attention.cpp. The bits of a
// query's result depend only on the keys it may see, not on the number of other queries or later
// keys: a key-value cache gives the same bits as the whole sequence at once.
#pragma once

#include <algorithm>

#include "engine/base/index.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/softmax.h"

namespace engine {

// Queries in a block. The scores of 64 queries are 64 KiB for 256 keys, 256 KiB for 1024: they stay
// in L2. Larger blocks would compute more of the scores that the causal mask discards.
inline constexpr Index query_block = 64;

// Keys in a tile of weighted_values.
inline constexpr Index key_tile = 256;

// The keys of a head as the right operand of Q K^T, (D, keys), in panels of whole columns. Keys
// inside a (B, T, 3C) tensor are one panel.
struct KeyPanels {
  kernels::MatrixView first;
  Index next = 0;  // elements from one panel to the next
};

// s = q k^T for the first s.cols keys, rounded up to whole vectors where a panel has that many:
// rows of s have room for them.
inline void scores(kernels::MatrixView q, const KeyPanels& k, kernels::MutableMatrixView s) {
  const Index panel = k.first.cols;
  for (Index key = 0; key < s.cols; key += panel) {
    const Index cols = std::min(panel, round_up(s.cols - key, kernels::lanes));
    kernels::MatrixView keys = k.first.block(0, 0, q.cols, cols);
    keys.data += key / panel * k.next;
    kernels::gemm(q, keys, {&s(0, key), s.rows, cols, s.row_stride, 1}, kernels::Write::overwrite);
  }
}

struct RowWeights {
  real max, inverse;  // weight j is exp((x_j - max) scale) inverse
};

// x_j = exp(scale x_j) / sum_l exp(scale x_l), over n >= 1 scores, in place.
inline RowWeights attention_weights(Index n, real* x, real scale) {
  const real row_max = kernels::max_of(n, x);
  kernels::map(
      n, x, kernels::Write::overwrite,
      [m = kernels::splat(row_max), s = kernels::splat(scale)](kernels::Vec u) {
        return kernels::exp((u - m) * s);
      },
      x);
  const real inverse = static_cast<real>(1 / kernels::sum(n, x));
  kernels::scale_row(n, x, inverse);
  return {row_max, inverse};
}

// o = w v: weights (rows, keys), values (keys, D). Tiles of keys start at key 0 and are within one
// k block of gemm, so the zero weights of masked keys at the end of a row do not change the bits.
inline void weighted_values(kernels::MatrixView w, kernels::MatrixView v,
                            kernels::MutableMatrixView o) {
  for (Index key = 0; key < v.rows; key += key_tile) {
    const Index keys = std::min(key_tile, v.rows - key);
    kernels::gemm(w.block(0, key, w.rows, keys), v.block(key, 0, keys, v.cols), o,
                  key == 0 ? kernels::Write::overwrite : kernels::Write::add);
  }
}

}  // namespace engine
