// MT19937 (Matsumoto and Nishimura, 1998), the engine of PyTorch's CPU generator: a state of 624
// words, renewed as a block; each word is tempered to one random word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/index.h"

namespace engine {

class MersenneTwister {
 public:
  static constexpr std::size_t size = 624;
  using Words = std::array<std::uint32_t, size>;

  explicit MersenneTwister(std::uint32_t seed);
  // Continues from a saved state: `position` words (0..624) of this block have been drawn.
  MersenneTwister(const Words& state, std::size_t position);

  std::uint32_t next() { return take(1).front(); }
  // The next words: n >= 1, or as many as are left in the block. Valid until the next draw.
  std::span<const std::uint32_t> take(std::size_t n);
  // Skips n words without tempering them.
  void discard(Index n);

  const Words& state() const { return state_; }
  std::size_t position() const { return position_; }

 private:
  void renew();
  void temper();

  Words state_, tempered_;
  std::size_t position_;  // of the next word; 624: the block must be renewed first
  bool is_tempered_ = false;
};

}  // namespace engine
