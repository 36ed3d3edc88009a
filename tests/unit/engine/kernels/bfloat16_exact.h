// What AVX512-BF16's instruction computes, to the bit (Intel's manual of VDPBF16PS): the sums of
// products of kernels::multiply_pairs, with denormal operands and results taken as 0.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/kernels/bfloat16.h"

namespace bfloat16_exact {

// x, or a zero with x's sign if x is denormal.
inline float flushed(float x) {
  return std::abs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

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

// s + a b for two pairs.
inline float multiply_pair(std::uint32_t a, std::uint32_t b, float s) {
  using engine::kernels::plain::from_bfloat16;
  const float second = multiply_add(from_bfloat16(a >> 16), from_bfloat16(b >> 16), s);
  return multiply_add(from_bfloat16(a & 0xffff), from_bfloat16(b & 0xffff), second);
}

}  // namespace bfloat16_exact
