#include "engine/kernels/reduce.h"

#include <algorithm>

#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/elementwise.h"

namespace engine::kernels {
namespace {

constexpr Index longest_piece = elements_per_range;

// out[i] = the sum of f over piece i of the arrays.
template <class F>
void parallel_sums_of(std::span<const std::span<const real>> arrays, F f, std::span<double> out) {
  const Index count = std::ssize(out);
  const Scratch<std::span<const real>> pieces(count);
  std::span<const real>* next = pieces.begin();
  Index size = 0;
  for (const auto& array : arrays) {
    size += std::ssize(array);
    for (Index i = 0; i < std::ssize(array); i += longest_piece) {
      const Index n = std::min(longest_piece, std::ssize(array) - i);
      *next++ = array.data() == nullptr ? std::span<const real>()
                                        : std::span(array.data() + i, unsigned_size(n));
    }
  }
  const Index grain = std::max<Index>(1, longest_piece * count / (size + 1));  // small: several
  parallel_for(count, grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      at(out, i) = sum_of(std::ssize(pieces[i]), f, pieces[i].data());
  });
}

template <class F>
double parallel_sum_of(Index n, const real* x, F f) {
  const std::span<const real> all[] = {{x, unsigned_size(n)}};
  const Scratch<double> sums(piece_count(all));
  parallel_sums_of(all, f, {sums.begin(), sums.end()});
  return total({sums.begin(), sums.end()});
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

Index piece_count(std::span<const std::span<const real>> arrays) {
  Index count = 0;
  for (const auto& array : arrays) count += ceil_div(std::ssize(array), longest_piece);
  return count;
}

void parallel_sums_of_squares(std::span<const std::span<const real>> arrays, double factor,
                              std::span<double> out) {
  parallel_sums_of(
      arrays, [f = splat(factor)](Vec v) { return (v * f) * (v * f); }, out);
}

double total(std::span<const double> sums) {
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

bool parallel_all_finite(Index n, const real* x) {
  return parallel_sum_of(n, x, [](Vec v) { return v - v; }) == 0;
}

void sum_rows(MatrixView x, real* out, Write write) {
  if (x.rows == 0) {
    if (write == Write::overwrite) std::fill_n(out, x.cols, real(0));
    return;
  }
  // Chunks of at least elements_per_range elements, 32 rows and a 64th of x, but at most 512 rows:
  // add_rows of 512 rows rounds a sum at most 131 times, however tall x is.
  constexpr Index longest = 512;
  const Index chunk = std::min(
      longest, std::max({Index(32), elements_per_range / (x.cols + 1), ceil_div(x.rows, 64)}));
  const Index chunks = ceil_div(x.rows, chunk);
  if (chunks == 1) return add_rows(x, 0, x.rows, out, write);
  Scratch<real> partial(chunks * x.cols);
  const Index grain = std::max(Index(1), elements_per_range / (chunk * (x.cols + 1)));
  parallel_for(chunks, grain, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c)
      add_rows(x, c * chunk, std::min((c + 1) * chunk, x.rows), partial.data() + c * x.cols,
               Write::overwrite);
  });
  const MatrixView sums = matrix(partial.data(), chunks, x.cols);
  if (chunks > longest) return sum_rows(sums, out, write);
  add_rows(sums, 0, chunks, out, write);
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
