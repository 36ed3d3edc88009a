// bfloat16 is the upper half of a float: its sign and exponent, and 8 of its 24 bits of precision.
// CPUs with AVX512-BF16 (AMD since Zen 4, Intel since Cooper Lake) have an instruction for sums of
// products of pairs: twice the multiplications of an fma, on some CPUs in the same time.
//
// A pair is two numbers in the space of one real: the first in the lower 16 bits of its low 32, the
// second in the upper 16. What the instructions compute (Intel's manual of VCVTNEPS2BF16 and
// VDPBF16PS; tests/unit/engine/kernels/bfloat16_test.cpp compares the CPU at hand) is in `plain`:
//
//     rounding   to nearest, ties to even; denormal numbers become 0, NaN stays NaN
//     s + p q    fma(p_2, q_2, s), then fma(p_1, q_1, that): the second numbers first; each fma is
//                rounded to nearest, ties to even; denormal operands and results become 0
//
// Without the instructions the functions below call `plain` lane by lane, so tests run anywhere.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/kernels/simd.h"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace engine::kernels {

namespace plain {

// x, or a zero with x's sign if x is denormal.
inline float flushed(float x) {
  return std::abs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

// The 16 bits of x rounded. A carry goes into the exponent, and up to infinity.
inline std::uint32_t to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(flushed(x));
  if (std::isnan(x)) return bits >> 16 | 0x40;  // quiet
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
inline float from_bfloat16(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

// x, rounded to bfloat16.
inline float rounded(float x) { return from_bfloat16(to_bfloat16(x)); }

// a b + s for bfloat16 a and b. Whether a result is denormal is decided by its rounding to 24 bits
// with any exponent, as IEEE 754 allows, so a result at the edge is computed again 2^64 times as
// large.
inline float multiply_add(float a, float b, float s) {
  constexpr float edge = std::numeric_limits<float>::min();
  const float x = flushed(a), y = flushed(b), z = flushed(s), sum = std::fma(x, y, z);
  if (sum == 0 || !(std::abs(sum) <= edge)) return sum;
  const float scaled = std::fma(x, y * 0x1p64f, z * 0x1p64f);
  return std::abs(scaled) < edge * 0x1p64f ? std::copysign(0.0f, sum) : scaled * 0x1p-64f;
}

inline float multiply_pair(std::uint32_t a, std::uint32_t b, float s) {
  const float second = multiply_add(from_bfloat16(a >> 16), from_bfloat16(b >> 16), s);
  return multiply_add(from_bfloat16(a & 0xffff), from_bfloat16(b & 0xffff), second);
}

inline std::uint32_t pair_of(float first, float second) {
  return to_bfloat16(second) << 16 | to_bfloat16(first);
}

// multiply_pair in each lane. Not inlined: kernels with 28 copies of it would be large.
[[gnu::noinline]] inline Vec multiply_pairs(IntVec a, IntVec b, Vec sum) {
  for (int i = 0; i < lanes; ++i)
    sum[i] = multiply_pair(static_cast<std::uint32_t>(a[i]), static_cast<std::uint32_t>(b[i]),
                           static_cast<float>(sum[i]));
  return sum;
}

}  // namespace plain

// A pair in every lane.
using Pairs = IntVec;

inline void store_pairs(real* to, Pairs p) { store(to, from_bits(p)); }
inline Pairs broadcast_pair(const real* from) {
  Bits pair;
  std::memcpy(&pair, from, sizeof pair);
  return broadcast_bits(pair);
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
inline Pairs pairs_of_neighbours(Vec first, Vec second) {
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
