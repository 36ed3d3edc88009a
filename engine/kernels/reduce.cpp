#include "engine/kernels/reduce.h"

#include <algorithm>

#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/elementwise.h"

namespace engine::kernels {
namespace {

template <class F>
double parallel_sum_of(Index n, const real* x, F f) {
  constexpr Index chunk = Index(1) << 14;
  const Index chunks = ceil_div(n, chunk);
  Scratch<double> partial(chunks);
  parallel_for(chunks, 1, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      partial[c] = sum_of(std::min(chunk, n - c * chunk), f, x + c * chunk);
  });
  double total = 0;
  for (const double part : partial) total += part;
  return total;
}

// out[j] (+)= sum of rows [begin, end) of x; four rows at a time share one pass over out.
void add_rows(MatrixView x, Index begin, Index end, real* out, Write write) {
  Index i = begin;
  for (; i + 4 <= end; i += 4, write = Write::add) {
    const real* row = x.data + i * x.row_stride;
    map(
        x.cols, out, write, [](Vec a, Vec b, Vec c, Vec d) { return (a + b) + (c + d); }, row,
        row + x.row_stride, row + 2 * x.row_stride, row + 3 * x.row_stride);
  }
  for (; i < end; ++i, write = Write::add)
    map(
        x.cols, out, write, [](Vec a) { return a; }, x.data + i * x.row_stride);
}

}  // namespace

double parallel_sum(Index n, const real* x) {
  return parallel_sum_of(n, x, [](Vec v) { return v; });
}

double parallel_sum_of_squares(Index n, const real* x) {
  return parallel_sum_of(n, x, [](Vec v) { return v * v; });
}

bool parallel_all_finite(Index n, const real* x) {
  return parallel_sum_of(n, x, [](Vec v) { return v - v; }) == 0;
}

void sum_rows(MatrixView x, real* out, Write write) {
  if (x.rows == 0) {
    if (write == Write::overwrite) std::fill_n(out, x.cols, real(0));
    return;
  }
  // Chunks of at least elements_per_range elements and 32 rows, and at most 64 chunks.
  const Index chunk =
      std::max({Index(32), elements_per_range / (x.cols + 1), ceil_div(x.rows, 64)});
  const Index chunks = ceil_div(x.rows, chunk);
  if (chunks == 1) return add_rows(x, 0, x.rows, out, write);
  Scratch<real> partial(chunks * x.cols);
  parallel_for(chunks, 1, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      add_rows(x, c * chunk, std::min((c + 1) * chunk, x.rows), partial.data() + c * x.cols,
               Write::overwrite);
  });
  add_rows(matrix(partial.data(), chunks, x.cols), 0, chunks, out, write);
}

void sum_middle(const real* x, Index outer, Index n, Index inner, real* out) {
  if (inner == 1 && outer == 1) {
    out[0] = static_cast<real>(parallel_sum(n, x));
  } else if (inner == 1) {
    parallel_rows(outer, n, [&](Index o) { out[o] = static_cast<real>(sum(n, x + o * n)); });
  } else if (outer == 1) {
    sum_rows(matrix(x, n, inner), out, Write::overwrite);
  } else {
    parallel_rows(outer, n * inner, [&](Index o) {
      sum_rows(matrix(x + o * n * inner, n, inner), out + o * inner, Write::overwrite);
    });
  }
}

}  // namespace engine::kernels
