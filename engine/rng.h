// Random numbers as PyTorch's CPU generator makes them: the same seed gives the same weights and
// the same batches. The engine is MT19937; how its words become numbers, in which order and with
// which rounding, is written down beside each function. In the double build values are drawn by
// the float rules and widened, so that both builds start from the same weights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/real.h"

namespace engine {

class Generator {
 public:
  // Only the low 32 bits of the seed reach the engine, as in PyTorch.
  explicit Generator(std::uint64_t seed);

  std::uint32_t random32();
  std::uint64_t random64();  // the first word drawn is the high half

  // Uniform in [low, high): one word each, its low 24 bits.
  void uniform(std::span<real> out, double low, double high);
  // Normal: Box-Muller in blocks of 16, in single precision; fewer than 16 values come from the
  // double-precision path that keeps every second value for later.
  void normal(std::span<real> out, double mean, double deviation);
  // Whole numbers in [low, high): one word modulo the range, two where the range needs them.
  void randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high);

  // PyTorch's dropout mask: 1 / (1 - p) where kept, with probability 1 - p, else 0; two words each.
  void dropout_mask(std::span<real> out, double p);

  // As if n values had been drawn, without computing them.
  void discard_uniform(Index n);
  void discard_normal(Index n);

 private:
  void refill();
  double uniform53();
  double normal_double();

  std::array<std::uint32_t, 624> state_;
  std::size_t next_ = 624;  // position of the next word in state_
  std::optional<double> cached_normal_;
};

}  // namespace engine
