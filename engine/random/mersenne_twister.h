// MT19937 (Matsumoto and Nishimura, 1998), the engine of PyTorch's CPU generator: 624 words of
// state that are renewed all at once, each then tempered to one random word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/base/real.h"

namespace engine {

class MersenneTwister {
 public:
  static constexpr std::size_t size = 624;
  using Words = std::array<std::uint32_t, size>;

  explicit MersenneTwister(std::uint32_t seed);
  // Goes on from a saved state: `position` words (0..624) of this block have been drawn.
  MersenneTwister(const Words& state, std::size_t position);

  std::uint32_t next() { return take(1).front(); }
  // The next words: as many of n >= 1 as are ready, at least one. Valid until the next draw.
  std::span<const std::uint32_t> take(std::size_t n);
  // As if n words had been drawn: the state is renewed, nothing is tempered.
  void discard(Index n);

  const Words& state() const { return state_; }
  std::size_t position() const { return position_; }

 private:
  void renew();
  void temper();

  Words state_, tempered_;
  std::size_t position_;  // of the next word; 624: a new block is due
  bool is_tempered_ = false;
};

}  // namespace engine
