// The rule of engine/kernels/counter_hash.h, an element at a time.
#pragma once

#include <cmath>
#include <cstdint>

// Whether an element is kept that is dropped with probability p.
inline bool kept_by_rule(std::uint64_t key, std::uint64_t element, double p) {
  std::uint64_t z = key + ((element >> 32) + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  z ^= z >> 31;
  auto h = static_cast<std::uint32_t>(element) * 0x9e3779b1 + static_cast<std::uint32_t>(z);
  h = (h ^ h >> 15 ^ static_cast<std::uint32_t>(z >> 32)) * 0x21f0aaad;
  h = (h ^ h >> 15) * 0xd35a2d97;
  return double(static_cast<std::int32_t>(h)) >= std::round(p * 0x1p32) - 0x1p31;
}
