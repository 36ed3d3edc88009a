// Vectors. A Vec holds as many reals as one register of the target. It uses the GCC/Clang vector
// extensions, so + - * / and comparisons are operators; other operations (fma, min, sqrt, partial
// loads, ...) are functions here. Some of them use special instructions, by intrinsics, in one file
// for each instruction set; `plain` below defines what they compute.
//
//     simd_avx512.h  AVX-512  64 bytes   16 float   8 double   32 registers
//     simd_avx2.h    AVX2     32 bytes    8 float   4 double   16 registers
//     simd_sse2.h    SSE2     16 bytes    4 float   2 double   16 registers, no fma (a * b + c
//                                                              rounds twice)
//     simd_neon.h    NEON     16 bytes    4 float   2 double   32 registers
//     simd_wasm.h    wasm     16 bytes    4 float   2 double   the browser's; no fma, as in SSE2
//
// -ffp-contract=off keeps compilers from contracting a * b + c: kernels call fma where they want
// one rounding, so every compiler gives the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "engine/base/index.h"
#include "engine/kernels/instruction_set.h"

// (Vec)v is how these extensions say "the same bits as another vector"; C++ has no cast for it.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#pragma GCC diagnostic ignored "-Wold-style-cast"

namespace engine::kernels {

inline constexpr bool is_float = sizeof(real) == 4;
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(real));

using Bits = std::conditional_t<is_float, std::int32_t, std::int64_t>;  // an integer of real's size
typedef float Floats __attribute__((vector_size(vector_bytes)));
typedef double Doubles __attribute__((vector_size(vector_bytes)));
using Vec = std::conditional_t<is_float, Floats, Doubles>;
typedef Bits IntVec __attribute__((vector_size(vector_bytes)));  // also the type of a comparison:
                                                                 // each lane 0 or -1
static_assert(sizeof(Vec) == vector_bytes);

// --- moving ------------------------------------------------------------------------------------

// A Vec with x, rounded to real, in every lane. (x - 0 keeps the sign of zero; x + 0 does not.)
inline Vec splat(double x) { return static_cast<real>(x) - Vec{}; }
inline IntVec splat_bits(Bits x) { return x - IntVec{}; }

// Addresses need no alignment.
inline Vec load(const real* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(real* to, Vec v) { std::memcpy(to, &v, sizeof v); }

// Picks lanes of x and y by index: 0 to lanes - 1 are lanes of x, lanes to 2 lanes - 1 are lanes of
// y.
template <int... index>
inline Vec picked(Vec x, Vec y) {
#if __has_builtin(__builtin_shufflevector)
  return __builtin_shufflevector(x, y, index...);
#else  // g++ 11
  return __builtin_shuffle(x, y, IntVec{index...});
#endif
}

// Lane i of the result is lane (i + step) % lanes of v.
template <int step, int... j>
inline Vec shifted_down(Vec v, std::integer_sequence<int, j...>) {
  return picked<((j + step) % lanes)...>(v, v);
}

// -1 in the first n lanes, 0 <= n <= lanes, 0 in the others.
inline IntVec first_lanes(Index n) {
  IntVec index;
  for (int i = 0; i < lanes; ++i) index[i] = i;
  return index < static_cast<Bits>(n);
}

inline IntVec as_bits(Vec v) { return (IntVec)v; }
inline Vec from_bits(IntVec v) { return (Vec)v; }

// f applied to each lane: for exp, tanh, ... in the double build, and where no instruction exists.
template <class F>
inline Vec per_lane(F f, Vec v) {
  for (int i = 0; i < lanes; ++i) v[i] = f(v[i]);
  return v;
}

// --- with instructions of their own on some targets --------------------------------------------

namespace plain {

// Loads the first n lanes, 0 <= n <= lanes; the others are 0 and their memory is not read.
inline Vec load_part(const real* from, Index n) {
  Vec v{};
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i)
    if (i < n) v[i] = from[i];
  return v;
}

// Stores the first n lanes: lanes/2, lanes/4, ... at a time.
template <int half = lanes / 2>
inline void store_part(real* to, Vec v, Index n) {
  if (n >= 2 * half) return store(to, v);
  if (n & half) {
    std::memcpy(to, &v, half * sizeof(real));
    v = shifted_down<half>(v, std::make_integer_sequence<int, lanes>());
    to += half;
  }
  if constexpr (half > 1) store_part<half / 2>(to, v, n % half);
}

// a b + c, with one rounding where there is an instruction for it.
inline Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }

// (a > b ? a : b) and (a < b ? a : b): b if either is NaN.
inline Vec max(Vec a, Vec b) { return a > b ? a : b; }
inline Vec min(Vec a, Vec b) { return a < b ? a : b; }

inline Vec sqrt(Vec v) {
  return per_lane([](real x) { return std::sqrt(x); }, v);
}

// 1 / v within one ulp, for v and 1 / v in the normal range.
inline Vec reciprocal(Vec v) { return 1 / v; }

// v 2^n, rounded once, for integers |n| <= 250 and v in [1/2, 2] or NaN. Multiplies by 2^(n/2)
// twice, so that only the second product can overflow or underflow.
inline Vec ldexp(Vec v, Vec n) {
  constexpr int fraction = std::numeric_limits<real>::digits - 1;
  const IntVec bias = splat_bits(std::numeric_limits<real>::max_exponent - 1);
  const IntVec k = __builtin_convertvector(n, IntVec), half = k >> 1;
  return v * from_bits((half + bias) << fraction) * from_bits((k - half + bias) << fraction);
}

}  // namespace plain
}  // namespace engine::kernels

// Each defines these eight functions, for Floats and Doubles.
#if defined(__AVX512F__)
#include "engine/kernels/simd_avx512.h"
#elif defined(__AVX2__) && defined(__FMA__)
#include "engine/kernels/simd_avx2.h"
#elif defined(__x86_64__)
#include "engine/kernels/simd_sse2.h"
#elif defined(__aarch64__)
#include "engine/kernels/simd_neon.h"
#elif defined(__wasm_simd128__)
#include "engine/kernels/simd_wasm.h"
#else
namespace engine::kernels {
using plain::fma, plain::ldexp, plain::load_part, plain::max, plain::min, plain::reciprocal;
using plain::sqrt, plain::store_part;
}  // namespace engine::kernels
#endif

namespace engine::kernels {

// --- arithmetic --------------------------------------------------------------------------------

// Per lane: a where mask is -1, b where mask is 0.
inline Vec select(IntVec mask, Vec a, Vec b) { return mask ? a : b; }

inline Vec abs(Vec v) { return from_bits(as_bits(v) & ~as_bits(splat(-0.0))); }

inline Vec copy_sign(Vec v, Vec sign) {
  const IntVec top = as_bits(splat(-0.0));
  return from_bits((as_bits(v) & ~top) | (as_bits(sign) & top));
}
inline Vec to_real(IntVec v) { return __builtin_convertvector(v, Vec); }

// --- transposition -----------------------------------------------------------------------------

// a and b hold rows of 2 x 2 blocks of `step` x `step` lanes, a from the upper blocks and b from
// the lower. Swaps the upper right with the lower left block.
template <int step, int... j>
inline void exchange_blocks(Vec& a, Vec& b, std::integer_sequence<int, j...>) {
  const Vec x = a, y = b;
  a = picked<((j & step) == 0 ? j : lanes + j - step)...>(x, y);
  b = picked<((j & step) == 0 ? j + step : lanes + j)...>(x, y);
}
// Rows become columns: swaps off-diagonal blocks of lanes/2, then of lanes/4 within them, and so
// on.
template <int step = lanes / 2>
inline void transpose(Vec (&rows)[lanes]) {
#pragma GCC unroll 16
  for (int i = 0; i < lanes; ++i)
    if ((i & step) == 0)
      exchange_blocks<step>(rows[i], rows[i + step], std::make_integer_sequence<int, lanes>());
  if constexpr (step > 1) transpose<step / 2>(rows);
}

// --- across lanes ------------------------------------------------------------------------------
// Pairwise by halves: lane i with lane i + n/2, and so on. The order is fixed by the width alone.

template <int half = lanes / 2, class Combine>
inline real reduce(Vec v, Combine combine) {
  v = combine(v, shifted_down<half>(v, std::make_integer_sequence<int, lanes>()));
  if constexpr (half > 1)
    return reduce<half / 2>(v, combine);
  else
    return v[0];
}
inline real reduce_add(Vec v) {
  return reduce(v, [](Vec a, Vec b) { return a + b; });
}
inline real reduce_max(Vec v) {
  return reduce(v, [](Vec a, Vec b) { return max(a, b); });
}

}  // namespace engine::kernels

#pragma GCC diagnostic pop
