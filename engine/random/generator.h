// PyTorch's CPU generator: the same seed gives the same weights and batches. The engine is MT19937;
// each function says how many of its 32-bit words make a number. The rules are those of an x86-64
// build with AVX2 and without MKL, such as Debian's; the official x86-64 wheels use MKL and differ
// in exponential and multinomial.
//
//     Generator generator(1337);
//     generator.normal(values, 0, 0.02);
//
// Both builds fill spans of `real` by PyTorch's rules for float32, so that they draw the same
// numbers; the double build widens them. PyTorch fills tensors that are not contiguous in memory
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/real.h"

namespace engine {

class Generator {
 public:
  // torch.manual_seed(seed): only the low 32 bits are used.
  explicit Generator(std::uint64_t seed) : seed_(static_cast<std::uint32_t>(seed)) {}
  // Explicit, because a copy made by accident would repeat the numbers of the original.
  explicit Generator(const Generator&) = default;
  Generator& operator=(const Generator&) = default;

  std::uint32_t random32() {
    ++drawn_;
    return static_cast<std::uint32_t>(engine_());
  }
  std::uint64_t random64();  // two words, the first is the high half

  // --- numbers ---------------------------------------------------------------------------------

  // rand, uniform_: in [low, high), one word each (its low 24 bits).
  void uniform(std::span<real> out, double low, double high);
  // randn, normal_: 16 values or more by Box and Muller's method in float, one word each, and 16
  // more words if their number is not a multiple of 16. Fewer than 16 values: in double, four words
  // for a pair; the second value of a pair is cached for the next call. PyTorch uses the second
  // method also for non-contiguous tensors of any size; for those, call normal for each value.
  void normal(std::span<real> out, double mean, double deviation);
  // exponential_: density rate exp(-rate x), two words each.
  void exponential(std::span<real> out, double rate = 1);

  // randint, random_(low, high): in [low, high), one word each, or two if high - low >= 2^32.
  void randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high);
  void randint(std::span<Id> out, Index low, Index high);  // the same numbers
  // randperm: 0..n-1 in random order, n - 1 words. n < 2^32 / 20.
  std::vector<std::int64_t> randperm(Index n);

  // multinomial(p, 1): an id, drawn with weights p >= 0, which need not sum to 1. Two words for
  // each weight.
  Id multinomial(std::span<const real> p);

  // --- position --------------------------------------------------------------------------------

  // Skips the words of n values drawn by one call of uniform or normal, without computing them.
  void discard_uniform(Index n);
  void discard_normal(Index n);

  // The complete state as text: the seed, how many words have been drawn, and the cached normal
  // number if there is one.
  std::string state() const;
  // Restores a state returned by state(), in 0.2 ns for each word drawn. Throws Error, without a
  // change, if the text is damaged.
  void set_state(std::string_view text);

 private:
  template <class T, class Rule>
  void fill_by_word(std::span<T> out, Rule rule);
  template <class T, class Rule>
  void fill_by_pair(std::span<T> out, Rule rule);
  double uniform53();
  double normal_value();

  std::uint32_t seed_;
  std::uint64_t drawn_ = 0;  // words of engine_
  std::mt19937 engine_{seed_};
  std::optional<double> cached_normal_;  // the second of a pair, with mean 0 and deviation 1
};

}  // namespace engine
