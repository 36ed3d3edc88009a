// float16 and bfloat16, the 16-bit formats of weights in other programs' files:
//
//     float16    1 sign bit, 5 of exponent, 10 of fraction: 6e-8 to 65504, 3 digits
//     bfloat16   1 sign bit, 8 of exponent, 7 of fraction: the range of a float, 2 digits
//
// Conversion from 16 bits to float is exact. Conversion to 16 bits rounds to nearest, ties to even;
// values that are too large become infinite. Plain arithmetic without branches, which compilers
// turn into vectors. (engine/kernels/bfloat16.h rounds for multiplication, where denormal numbers
// become 0; here they are kept.)
#pragma once

#include <bit>
#include <cstdint>

namespace model {

constexpr std::uint32_t float_infinity = 0x7f800000;  // exponent 255, fraction 0

inline float from_float16(std::uint16_t half) {
  constexpr std::uint32_t rebias = (127 - 15) << 23;  // between the two formats' exponents
  const std::uint32_t sign = std::uint32_t{half} << 16 & 0x80000000;
  const std::uint32_t magnitude = half & 0x7fff;
  const std::uint32_t normal = (magnitude << 13) + rebias;
  const std::uint32_t special = normal + rebias;  // infinity, NaN: exponent 31 becomes 255
  // Without an exponent: a multiple of 2^-24.
  const auto small =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(magnitude)) * 0x1p-24f);
  const std::uint32_t bits = magnitude < 0x400 ? small : magnitude < 0x7c00 ? normal : special;
  return std::bit_cast<float>(sign | bits);
}

inline std::uint16_t to_float16(float x) {
  constexpr std::uint32_t rebias = (127 - 15) << 10;
  constexpr std::uint32_t smallest_normal = 0x38800000;  // 2^-14
  constexpr std::uint32_t too_large = 0x477ff000;        // 65520, halfway from 65504 to 2^16
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  const std::uint32_t normal = ((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - rebias;
  // Neighbors of 0.5 are 2^-24 apart, as float16 is near 0: the addition rounds.
  const std::uint32_t small =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000;
  const std::uint32_t special =
      magnitude > float_infinity ? 0x7e00 | (magnitude >> 13 & 0x3ff) : 0x7c00;
  const std::uint32_t rounded = magnitude < smallest_normal ? small
                                : magnitude < too_large     ? normal
                                                            : special;
  return static_cast<std::uint16_t>(sign | rounded);
}

inline float from_bfloat16(std::uint16_t upper) {
  return std::bit_cast<float>(std::uint32_t{upper} << 16);
}

inline std::uint16_t to_bfloat16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  const std::uint32_t quiet = bits >> 16 | 0x40;  // NaN stays NaN
  return static_cast<std::uint16_t>((bits & 0x7fffffff) > float_infinity ? quiet : rounded);
}

}  // namespace model
