// The only file with intrinsics. A Vec holds as many reals as one register of the target. It uses
// the GCC/Clang vector extensions, so + - * / and comparisons are operators; other operations (fma,
// min, sqrt, partial loads, ...) are functions here: one intrinsic for each instruction set, a loop
// over lanes otherwise.
//
//     AVX-512  64 bytes   16 float   8 double   32 registers
//     AVX2     32 bytes    8 float   4 double   16 registers
//     SSE2     16 bytes    4 float   2 double   16 registers, no fma (a * b + c rounds twice)
//     NEON     16 bytes    4 float   2 double   32 registers
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

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace engine::kernels {

inline constexpr bool is_float = sizeof(real) == 4;
inline constexpr int lanes = vector_bytes / static_cast<int>(sizeof(real));

using Bits = std::conditional_t<is_float, std::int32_t, std::int64_t>;  // an integer of real's size
typedef real Vec __attribute__((vector_size(vector_bytes)));
typedef Bits IntVec __attribute__((vector_size(vector_bytes)));  // also the type of a comparison:
                                                                 // each lane 0 or -1
static_assert(sizeof(Vec) == vector_bytes);

// --- moving ------------------------------------------------------------------------------------

// A Vec with x, rounded to real, in every lane. (x - 0 keeps the sign of zero; x + 0 does not.)
inline Vec broadcast(double x) { return static_cast<real>(x) - Vec{}; }
inline IntVec broadcast_bits(Bits x) { return x - IntVec{}; }

// Addresses need no alignment.
inline Vec load(const real* from) {
  Vec v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(real* to, Vec v) { std::memcpy(to, &v, sizeof v); }

// The lanes of x and y with these indices: 0 to lanes - 1 are those of x, the next ones those of y.
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

// Loads the first n lanes, 0 <= n <= lanes; the others are 0 and their memory is not read.
inline Vec load_part(const real* from, Index n) {
#if defined(__AVX512F__)
  if constexpr (is_float)
    return (Vec)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from);
  else
    return (Vec)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), from);
#elif defined(__AVX2__) && defined(__FMA__)
  if constexpr (is_float)
    return (Vec)_mm256_maskload_ps((const float*)from, (__m256i)first_lanes(n));
  else
    return (Vec)_mm256_maskload_pd((const double*)from, (__m256i)first_lanes(n));
#else
  Vec v{};
  std::memcpy(&v, from, unsigned_size(n) * sizeof(real));
  return v;
#endif
}
#if defined(__AVX512F__)
inline void store_part(real* to, Vec v, Index n) {
  if constexpr (is_float)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
  else
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), (__m512d)v);
}
#else  // stores of lanes/2, lanes/4, ...: AVX's masked stores take tens of cycles on some CPUs
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
#endif

inline IntVec as_bits(Vec v) { return (IntVec)v; }
inline Vec from_bits(IntVec v) { return (Vec)v; }

// --- arithmetic --------------------------------------------------------------------------------

// a b + c with one rounding.
inline Vec fma(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
  if constexpr (is_float)
    return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  else
    return (Vec)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__AVX2__) && defined(__FMA__)
  if constexpr (is_float)
    return (Vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  else
    return (Vec)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
  if constexpr (is_float)
    return (Vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
  else
    return (Vec)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
  return a * b + c;
#endif
}

// v 2^n, rounded once, for integers |n| <= 250 and v in [1/2, 2] or NaN. Multiplies by 2^(n/2)
// twice, so that only the second product can overflow or underflow.
inline Vec ldexp(Vec v, Vec n) {
#if defined(__AVX512F__)
  if constexpr (is_float)
    return (Vec)_mm512_maskz_scalef_ps(0xffff, (__m512)v, (__m512)n);
  else
    return (Vec)_mm512_maskz_scalef_pd(0xff, (__m512d)v, (__m512d)n);
#else
  constexpr int fraction = std::numeric_limits<real>::digits - 1;
  const IntVec bias = broadcast_bits(std::numeric_limits<real>::max_exponent - 1);
  const IntVec k = __builtin_convertvector(n, IntVec), half = k >> 1;
  return v * from_bits((half + bias) << fraction) * from_bits((k - half + bias) << fraction);
#endif
}

// Per lane: a where mask is -1, b where mask is 0.
inline Vec select(IntVec mask, Vec a, Vec b) { return mask ? a : b; }

// (a > b ? a : b) and (a < b ? a : b): b if either is NaN. Intrinsics, because GCC compiles the
// operators to a comparison and a blend when an argument is a constant.
inline Vec max(Vec a, Vec b) {
#if defined(__AVX512F__)
  if constexpr (is_float)
    return (Vec)_mm512_maskz_max_ps(0xffff, (__m512)a, (__m512)b);
  else
    return (Vec)_mm512_maskz_max_pd(0xff, (__m512d)a, (__m512d)b);
#elif defined(__AVX2__) && defined(__FMA__)
  if constexpr (is_float)
    return (Vec)_mm256_max_ps((__m256)a, (__m256)b);
  else
    return (Vec)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__x86_64__)
  if constexpr (is_float)
    return (Vec)_mm_max_ps((__m128)a, (__m128)b);
  else
    return (Vec)_mm_max_pd((__m128d)a, (__m128d)b);
#else
  return a > b ? a : b;
#endif
}
inline Vec min(Vec a, Vec b) {
#if defined(__AVX512F__)
  if constexpr (is_float)
    return (Vec)_mm512_maskz_min_ps(0xffff, (__m512)a, (__m512)b);
  else
    return (Vec)_mm512_maskz_min_pd(0xff, (__m512d)a, (__m512d)b);
#elif defined(__AVX2__) && defined(__FMA__)
  if constexpr (is_float)
    return (Vec)_mm256_min_ps((__m256)a, (__m256)b);
  else
    return (Vec)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__x86_64__)
  if constexpr (is_float)
    return (Vec)_mm_min_ps((__m128)a, (__m128)b);
  else
    return (Vec)_mm_min_pd((__m128d)a, (__m128d)b);
#else
  return a < b ? a : b;
#endif
}
inline Vec abs(Vec v) { return from_bits(as_bits(v) & ~as_bits(broadcast(-0.0))); }

inline Vec copy_sign(Vec v, Vec sign) {
  const IntVec top = as_bits(broadcast(-0.0));
  return from_bits((as_bits(v) & ~top) | (as_bits(sign) & top));
}
inline Vec to_real(IntVec v) { return __builtin_convertvector(v, Vec); }

// f applied to each lane: for exp, tanh, ... in the double build, and where no instruction exists.
template <class F>
inline Vec per_lane(F f, Vec v) {
  for (int i = 0; i < lanes; ++i) v[i] = f(v[i]);
  return v;
}

inline Vec sqrt(Vec v) {
#if defined(__AVX512F__)
  if constexpr (is_float)
    return (Vec)_mm512_maskz_sqrt_ps(0xffff, (__m512)v);
  else
    return (Vec)_mm512_maskz_sqrt_pd(0xff, (__m512d)v);
#elif defined(__AVX2__) && defined(__FMA__)
  if constexpr (is_float)
    return (Vec)_mm256_sqrt_ps((__m256)v);
  else
    return (Vec)_mm256_sqrt_pd((__m256d)v);
#elif defined(__aarch64__)
  if constexpr (is_float)
    return (Vec)vsqrtq_f32((float32x4_t)v);
  else
    return (Vec)vsqrtq_f64((float64x2_t)v);
#else
  return per_lane([](real x) { return std::sqrt(x); }, v);
#endif
}

// 1 / v within one ulp, for v and 1 / v in the normal range. AVX-512: an estimate of 14 bits and
// one Newton step, 4 cycles instead of 16 for a division.
inline Vec reciprocal(Vec v) {
#if defined(__AVX512F__)
  if constexpr (is_float) {
    const Vec r = (Vec)_mm512_maskz_rcp14_ps(0xffff, (__m512)v);
    return fma(r, fma(-v, r, broadcast(1)), r);
  }
#endif
  return 1 / v;
}

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

// --- four floats, on every target and in every build --------------------------------------------
// For random numbers, which are float even where real is double. quad_fma rounds once everywhere.

typedef float Quad __attribute__((vector_size(16)));
typedef std::int32_t IntQuad __attribute__((vector_size(16)));

inline Quad quad_load(const float* from) {
  Quad v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void quad_store(float* to, Quad v) { std::memcpy(to, &v, sizeof v); }

inline Quad quad_fma(Quad a, Quad b, Quad c) {
#if defined(__FMA__)
  return (Quad)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__aarch64__)
  return (Quad)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  for (int i = 0; i < 4; ++i) c[i] = std::fma(a[i], b[i], c[i]);
  return c;
#endif
}
inline Quad quad_sqrt(Quad v) {
#if defined(__x86_64__)
  return (Quad)_mm_sqrt_ps((__m128)v);
#elif defined(__aarch64__)
  return (Quad)vsqrtq_f32((float32x4_t)v);
#else
  for (int i = 0; i < 4; ++i) v[i] = std::sqrt(v[i]);
  return v;
#endif
}

}  // namespace engine::kernels
