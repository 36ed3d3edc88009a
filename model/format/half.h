// Numbers of 16 bits, by arithmetic on their bits: every CPU has it, and compilers make vectors of
// it.
#pragma once

#include <bit>
#include <cstdint>

namespace model {

// An f16's exponent is biased by 15, an f32's by 127: its bits, moved to an f32's place, are the
// number over 2^112, also if it is subnormal. The largest exponent means infinity or NaN in both.
inline float from_half(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7FFFu, sign = (half & 0x8000u) << 16;
  const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x7C00u ? 0x7F800000u : 0;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | special | sign);
}

// To nearest, ties to even; what rounds to 65,536 or more becomes infinity.
inline std::uint16_t to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  // A subnormal f16 counts steps of 2^-24, and so does the fraction of 0.5 plus it.
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  const std::uint32_t even = magnitude >> 13 & 1;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xFFFu + even) >> 13;
  const std::uint32_t result = magnitude > 0x7F800000u    ? 0x7E00u  // NaN
                               : magnitude >= 0x477FF000u ? 0x7C00u  // 65,520 and more
                               : magnitude < 0x38800000u  ? subnormal
                                                          : normal;
  return static_cast<std::uint16_t>(sign | result);
}

inline float from_bfloat16(std::uint16_t value) {
  return std::bit_cast<float>(std::uint32_t{value} << 16);
}

// To nearest, ties to even. Finite numbers and infinity.
inline std::uint16_t to_bfloat16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}

}  // namespace model
