// What attention does to a strip of queries, between and after its products with the keys. The
// fused op and generation, which keeps keys and values in a cache, share it, and with it their
// bits: a row's result depends on the keys that its query sees, not on how many other queries or
// later keys are at hand.
#pragma once

#include <algorithm>

#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/softmax.h"

namespace engine::kernels {

// Queries are taken in strips of 64 rows. 64 rows of 256 keys are 64 KiB: a strip of scores stays
// in the L2 cache. More rows would skip less of what lies above the diagonal.
inline constexpr Index strip_rows = 64;

struct RowWeights {
  real max, inverse;  // weight j was exp((x_j - max) scale) inverse
};

// x_j = exp(scale x_j) / sum_l exp(scale x_l), over n >= 1 scores, in place.
inline RowWeights attention_weights(Index n, real* x, real scale) {
  const real most = max_of(n, x);
  map(
      n, x, Write::overwrite,
      [m = broadcast(most), s = broadcast(scale)](Vec u) { return exp((u - m) * s); }, x);
  const real inverse = static_cast<real>(1 / sum(n, x));
  scale_row(n, x, inverse);
  return {most, inverse};
}

// o = w v: weights (rows, keys), values (keys, D). Keys are counted from key 0 in tiles that gemm
// sums without a break. So zeros at the end of a row, where keys are hidden, change nothing.
inline void weighted_values(MatrixView w, MatrixView v, MutableMatrixView o) {
  constexpr Index tile = 256;
  for (Index key = 0; key < v.rows; key += tile) {
    const Index keys = std::min(tile, v.rows - key);
    gemm(w.block(0, key, w.rows, keys), v.block(key, 0, keys, v.cols), o,
         key == 0 ? Write::overwrite : Write::add);
  }
}

}  // namespace engine::kernels
