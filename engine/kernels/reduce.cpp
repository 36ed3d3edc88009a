#include "engine/kernels/reduce.h"

#include <algorithm>

#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/elementwise.h"

namespace engine::kernels {
namespace {

// The sum over chunks [begin, end) of [0, n) of sum(begin, end).
template <class Sum>
double parallel_sum_of_chunks(Index n, Sum sum) {
  constexpr Index chunk = Index(1) << 14;
  const Index chunks = ceil_div(n, chunk);
  Scratch<double> partial(chunks);
  parallel_for(chunks, 1, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) partial[c] = sum(c * chunk, std::min((c + 1) * chunk, n));
  });
  double total = 0;
  for (const double part : partial) total += part;
  return total;
}

template <class F>
double parallel_sum_of(Index n, const real* x, F f) {
  return parallel_sum_of_chunks(
      n, [&](Index begin, Index end) { return sum_of(end - begin, f, x + begin); });
}

// sum_of over [begin, end) of an array in parts: the same vectors in the same two chains.
double sum_of_squares(std::span<const Part> parts, Index begin, Index end) {
  const auto square = [](Vec v) { return v * v; };
  auto part = std::ranges::upper_bound(parts, begin, {}, &Part::offset) - 1;
  const auto go_to = [&](Index i) {
    while (part + 1 != parts.end() && part[1].offset <= i) ++part;
  };
  const auto squares_at = [&](Index i) {
    go_to(i);
    const Index rest = part->offset + part->size - i;
    if (part->data == nullptr || rest <= 0) return Vec{};
    const real* const from = part->data + (i - part->offset);
    return square(rest >= lanes ? load(from) : load_part(from, rest));
  };
  constexpr Index chunk = 1024;
  double total = 0;
  for (; begin < end; begin += chunk) {
    const Index stop = std::min(begin + chunk, end);
    go_to(begin);
    if (stop <= part->offset + part->size) {  // all of it in one part, as most chunks are
      if (part->data != nullptr)
        total += sum_of(stop - begin, square, part->data + (begin - part->offset));
      continue;
    }
    Vec even{}, odd{};
    for (Index i = begin; i < stop; i += 2 * lanes) {
      even += squares_at(i);
      if (i + lanes < stop) odd += squares_at(i + lanes);
    }
    total += static_cast<double>(reduce_add(even + odd));
  }
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

double parallel_sum_of_squares(Index n, std::span<const Part> parts) {
  return parallel_sum_of_chunks(
      n, [&](Index begin, Index end) { return sum_of_squares(parts, begin, end); });
}

bool parallel_all_finite(Index n, const real* x) {
  return parallel_sum_of(n, x, [](Vec v) { return v - v; }) == 0;
}

void sum_rows(MatrixView x, real* out, Write write) {
  if (x.rows == 0) {
    if (write == Write::overwrite) std::fill_n(out, x.cols, real(0));
    return;
  }
  // Chunks of at least elements_per_range elements and 32 rows, and at most 64 chunks, as far as 512
  // rows allow: add_rows of 512 rows rounds a sum at most 131 times, however tall x is.
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
