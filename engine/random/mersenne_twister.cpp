#include "engine/random/mersenne_twister.h"

#include <algorithm>
#include <cassert>

namespace engine {

MersenneTwister::MersenneTwister(std::uint32_t seed) : position_(size) {
  state_[0] = seed;
  for (std::uint32_t j = 1; j < size; ++j) {
    const std::uint32_t last = state_[j - 1];
    state_[j] = 1812433253 * (last ^ last >> 30) + j;
  }
}

MersenneTwister::MersenneTwister(const Words& state, std::size_t position)
    : state_(state), position_(position) {
  assert(position <= size);
}

// s[i] = s[i + 397] ^ (the top bit of s[i] and the low bits of s[i + 1], times the matrix A), in
// place; indices wrap around to words already renewed. Three loops without a modulo, so that
// compilers vectorise them.
void MersenneTwister::renew() {
  constexpr std::size_t middle = 397;
  const auto twist = [this](std::size_t i, std::size_t after, std::size_t far) {
    const std::uint32_t y = (state_[i] & 0x80000000) | (state_[after] & 0x7fffffff);
    state_[i] = state_[far] ^ y >> 1 ^ ((0 - (y & 1)) & 0x9908b0df);
  };
  for (std::size_t i = 0; i < size - middle; ++i) twist(i, i + 1, i + middle);
  for (std::size_t i = size - middle; i < size - 1; ++i) twist(i, i + 1, i + middle - size);
  twist(size - 1, 0, middle - 1);
  position_ = 0;
  is_tempered_ = false;
}

void MersenneTwister::temper() {
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t y = state_[i];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    tempered_[i] = y ^ y >> 18;
  }
  is_tempered_ = true;
}

std::span<const std::uint32_t> MersenneTwister::take(std::size_t n) {
  if (position_ == size) renew();
  if (!is_tempered_) temper();
  const std::size_t count = std::min(n, size - position_);
  const std::span words(&tempered_[position_], count);
  position_ += count;
  return words;
}

void MersenneTwister::discard(Index n) {
  while (n > 0) {
    if (position_ == size) renew();
    const Index count = std::min(n, static_cast<Index>(size - position_));
    position_ += unsigned_size(count);
    n -= count;
  }
}

}  // namespace engine
