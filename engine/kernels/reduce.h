// Sums over many elements. The order of additions depends only on the shape, so the bits do not
// depend on the number of threads: chunks of fixed size, partial sums added in index order.
#pragma once

#include <span>

#include "engine/kernels/matrix_view.h"
#include "engine/kernels/simd.h"
#include "engine/kernels/write.h"

namespace engine::kernels {

// The sum over [0, n) of f(in[i]...), where f takes and returns Vec, on the calling thread. Chunks
// of 1024 elements are summed in real, at most a few hundred roundings; chunks are added in double.
template <class F, class... In>
double sum_of(Index n, F f, const In*... in) {
  constexpr Index chunk = 1024;
  double total = 0;
  for (Index begin = 0; begin < n; begin += chunk) {
    const Index end = begin + chunk < n ? begin + chunk : n;
    Vec even{}, odd{};  // two chains: latency 4 cycles, 2 additions per cycle
    Index i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      even += f(load(in + i)...);
      odd += f(load(in + i + lanes)...);
    }
    for (; i + lanes <= end; i += lanes) even += f(load(in + i)...);
    if (i < end) odd += select(first_lanes(end - i), f(load_part(in + i, end - i)...), Vec{});
    total += static_cast<double>(reduce_add(even + odd));
  }
  return total;
}

inline double sum(Index n, const real* x) {
  return sum_of(
      n, [](Vec v) { return v; }, x);
}

// Whether no x_i is infinite or NaN: v - v is 0 for finite v, NaN otherwise.
inline bool all_finite(Index n, const real* x) {
  return sum_of(
             n, [](Vec v) { return v - v; }, x) == 0;
}

// The sum over all elements, on all threads.
double parallel_sum(Index n, const real* x);
bool parallel_all_finite(Index n, const real* x);

// A sum over the elements of several arrays has two steps, between which several processes may add
// up the sums of their pieces. Arrays are cut into pieces:
Index piece_count(std::span<const std::span<const real>> arrays);
// out[i] = the sum of the squares of piece i, each element first times `factor`. An array at null
// is not read: its pieces' sums are 0.
void parallel_sums_of_squares(std::span<const std::span<const real>> arrays, double factor,
                              std::span<double> out);
// The sum of the sums, in order.
double total(std::span<const double> sums);

// out[j] (+)= sum_i x(i, j), for a matrix with col_stride 1, e.g. the gradient of a bias.
void sum_rows(MatrixView x, real* out, Write write);

// out[o, j] = sum_k x[o, k, j] for dense x of shape (outer, n, inner).
void sum_middle(const real* x, Index outer, Index n, Index inner, real* out);

}  // namespace engine::kernels
