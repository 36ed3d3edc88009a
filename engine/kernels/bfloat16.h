// bfloat16 is the upper half of a float: its sign and exponent, and 8 of its 24 bits of precision.
// CPUs with AVX512-BF16 (AMD since Zen 4, Intel since Cooper Lake) have an instruction for sums of
// products of pairs: twice the multiplications of an fma, on some CPUs in the same time.
//
// A pair is two numbers in the space of one real: the first in the lower 16 bits of its low 32, the
// second in the upper 16. `plain` defines what the functions compute:
//
//     rounding   to nearest, ties to even; denormal numbers become 0, NaN stays NaN
//     s + p q    fma(p_2, q_2, s), then fma(p_1, q_1, that): the second numbers first
//
// The instruction also takes denormal operands and results of an fma as 0, which `plain` does not:
// tests/unit/engine/kernels/bfloat16_exact.h has the instruction to the bit.
// Without the instruction the functions below call `plain` lane by lane, for tests;
// set_product_precision (gemm/gemm.h) refuses bfloat16 there.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "engine/kernels/simd.h"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace engine::kernels {

namespace plain {

// The 16 bits of x rounded. A carry goes into the exponent, and up to infinity.
inline std::uint32_t to_bfloat16(float x) {
  const bool denormal = std::abs(x) < std::numeric_limits<float>::min();
  const auto bits = std::bit_cast<std::uint32_t>(denormal ? std::copysign(0.0f, x) : x);
  if (std::isnan(x)) return bits >> 16 | 0x40;  // quiet
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
inline float from_bfloat16(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

// x, rounded to bfloat16.
inline float rounded(float x) { return from_bfloat16(to_bfloat16(x)); }

inline std::uint32_t pair_of(float first, float second) {
  return to_bfloat16(second) << 16 | to_bfloat16(first);
}
inline float first_of(Bits pair) { return from_bfloat16(static_cast<std::uint32_t>(pair)); }
inline float second_of(Bits pair) { return from_bfloat16(static_cast<std::uint32_t>(pair) >> 16); }

// Not inlined: kernels with 28 copies of it would be large.
[[gnu::noinline]] inline Vec multiply_pairs(IntVec a, IntVec b, Vec sum) {
  for (int i = 0; i < lanes; ++i) {
    const auto s = static_cast<float>(sum[i]);
    sum[i] =
        std::fma(first_of(a[i]), first_of(b[i]), std::fma(second_of(a[i]), second_of(b[i]), s));
  }
  return sum;
}

}  // namespace plain

// A pair in every lane.
using Pairs = IntVec;

inline void store_pairs(real* to, Pairs p) { store(to, from_bits(p)); }
inline Pairs splat_pair(const real* from) {
  Bits pair;
  std::memcpy(&pair, from, sizeof pair);
  return splat_bits(pair);
}
inline void store_pair(real* to, real first, real second) {
  const auto pair =
      static_cast<Bits>(plain::pair_of(static_cast<float>(first), static_cast<float>(second)));
  std::memcpy(to, &pair, sizeof pair);
}

// Lane i: (first_i, second_i).
inline Pairs pairs_of_lanes(Vec first, Vec second) {
#if defined(__AVX512BF16__)
  if constexpr (is_float) {
    const __m512i apart = (__m512i)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
    IntVec order{};  // of 16-bit numbers: 0, 16, 1, 17, ...
    for (int i = 0; i < lanes; ++i) order[i] = (i + 16) << 16 | i;
    return (IntVec)_mm512_permutexvar_epi16((__m512i)order, apart);
  }
#endif
  Pairs p{};
  for (int i = 0; i < lanes; ++i)
    p[i] = static_cast<Bits>(
        plain::pair_of(static_cast<float>(first[i]), static_cast<float>(second[i])));
  return p;
}

// Neighbors: lane i is elements (2i, 2i + 1) of first and then second.
inline Pairs pairs_of_neighbors(Vec first, Vec second) {
#if defined(__AVX512BF16__)
  if constexpr (is_float) return (IntVec)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
#endif
  Pairs p{};
  for (int i = 0; i < lanes; ++i) {
    const Vec& from = i < lanes / 2 ? first : second;
    const int j = 2 * i % lanes;
    p[i] = static_cast<Bits>(
        plain::pair_of(static_cast<float>(from[j]), static_cast<float>(from[j + 1])));
  }
  return p;
}

// sum + a b in each lane.
inline Vec multiply_pairs(Pairs a, Pairs b, Vec sum) {
#if defined(__AVX512BF16__)
  if constexpr (is_float) return (Vec)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#endif
  return plain::multiply_pairs(a, b, sum);
}

}  // namespace engine::kernels
