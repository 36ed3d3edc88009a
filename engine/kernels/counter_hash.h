// Dropout decisions without a generator: a hash of (key, i) decides whether element i of a tensor
// is kept. It needs no stored mask and no order of draws, so backward, any number of threads and
// any vector width make the same decisions. With a and b from the key, all modulo 2^32,
//
//     h = 0x9e3779b1 i + a
//     h ^= h >> 15 ^ b,  h *= 0x21f0aaad
//     h ^= h >> 15,      h *= 0xd35a2d97        kept iff h, as a signed number, >= threshold
//
// Each step is a permutation, so of 2^32 elements exactly the share 1 - p is kept. The product with
// i is linear in i, so it costs one addition per vector; it spreads the counter over all 32 bits.
// Without it the two rounds (multipliers from C. Wellons' search for short hashes) leave elements
// 2^6, 2^7, ..., 2^14 apart correlated by up to 1 %. The last product mixes the upper bits best,
// and those decide.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/kernels/simd.h"

namespace engine::kernels {

class CounterHash {
 public:
  // For the elements [2^32 segment, 2^32 (segment + 1)). SplitMix64 (Steele, Lea and Flood, 2014)
  // mixes the key, so that similar keys such as 1, 2, 3 give independent masks.
  explicit CounterHash(std::uint64_t key, std::uint64_t segment = 0) {
    std::uint64_t z = key + (segment + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    a_ = static_cast<std::uint32_t>(z);
    b_ = static_cast<std::uint32_t>(z >> 32);
  }

  // The threshold that drops a share p of the elements, 0 <= p < 1, rounded to a multiple of 2^-32.
  static std::int32_t threshold(double p) {
    return static_cast<std::int32_t>(std::min(std::round(p * 0x1p32), 0x1p32 - 1) - 0x1p31);
  }

  // Lane j: -1 if element first + j (modulo 2^32, within the segment) is kept, 0 if not.
  IntVec kept(std::uint32_t first, std::int32_t threshold) const {
    Words h = lane_products() + (first * weyl + a_);
    h ^= h >> 15 ^ b_;
    h *= 0x21f0aaad;
    h ^= h >> 15;
    h *= 0xd35a2d97;
    return __builtin_convertvector((Signed)h >= threshold, IntVec);
  }

 private:
  static constexpr std::uint32_t weyl = 0x9e3779b1;
  typedef std::uint32_t Words __attribute__((vector_size(4 * lanes)));
  typedef std::int32_t Signed __attribute__((vector_size(4 * lanes)));

  static Words lane_products() {
    Words products;
    for (int j = 0; j < lanes; ++j) products[j] = static_cast<std::uint32_t>(j) * weyl;
    return products;
  }

  std::uint32_t a_, b_;
};

}  // namespace engine::kernels
