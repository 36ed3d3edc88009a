// PyTorch's CPU generator: the same seed gives the same weights, batches and dropout masks. The
// engine is MT19937; each function says how many of its 32-bit words make a number. The rules are
// those of an x86-64 build with AVX2 and without MKL, such as Debian's; the official x86-64 wheels
// use MKL and differ in bernoulli(p), dropout_mask, exponential and multinomial.
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
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/real.h"
#include "engine/random/mersenne_twister.h"

namespace engine {

class Generator {
 public:
  // torch.manual_seed(seed): only the low 32 bits are used.
  explicit Generator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}
  // Explicit, because a copy made by accident would repeat the numbers of the original.
  explicit Generator(const Generator&) = default;
  Generator& operator=(const Generator&) = default;

  std::uint32_t random32() { return engine_.next(); }
  std::uint64_t random64();  // two words, the first is the high half

  // --- numbers ---------------------------------------------------------------------------------

  // rand, uniform_: in [low, high), one word each (its low 24 bits).
  void uniform(std::span<real> out, double low, double high);
  // randn, normal_: 16 values or more by Box and Muller's method in float, one word each, and 16
  // more words if their number is not a multiple of 16. Fewer than 16 values: computed in double,
  // four words for a pair, whose second value is cached for the next call. PyTorch does the latter
  // also for tensors of any size that are not contiguous; for those, call normal for each value.
  void normal(std::span<real> out, double mean, double deviation);
  // exponential_: density rate exp(-rate x), two words each.
  void exponential(std::span<real> out, double rate = 1);

  // randint, random_(low, high): in [low, high), one word each, or two if high - low >= 2^32.
  void randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high);
  void randint(std::span<Id> out, Index low, Index high);  // the same numbers
  // randperm: 0..n-1 in random order, n - 1 words. n < 2^32 / 20.
  std::vector<std::int64_t> randperm(Index n);

  // --- choices ---------------------------------------------------------------------------------

  // bernoulli_(p): 1 with probability p, else 0, two words each.
  void bernoulli(std::span<real> out, double p);
  // bernoulli(P): element i is 1 with probability p[i], one word each.
  void bernoulli(std::span<real> out, std::span<const real> p);
  // The mask of dropout(p): 1 / (1 - p) with probability 1 - p, else 0, two words each; p = 0 and
  // p = 1 draw nothing.
  void dropout_mask(std::span<real> out, double p);
  // multinomial: p (rows, categories), weights >= 0 of any sum; out (rows, k), k ids drawn with
  // the weights of the row, all different without replacement. Two words for each weight; with
  // replacement two for each id.
  void multinomial(std::span<const real> p, std::span<Id> out, bool replacement = false,
                   Index rows = 1);

  // --- position --------------------------------------------------------------------------------

  // Skips the words of n values drawn by one call of uniform or normal, without computing them.
  void discard_uniform(Index n) { engine_.discard(n); }
  void discard_normal(Index n);

  // The complete state as printable ASCII (5 kB).
  std::string state() const;
  // Restores a state returned by state(). Throws Error, without a change, if the text is damaged.
  void set_state(std::string_view text);

 private:
  template <class T, class Rule>
  void fill_by_word(std::span<T> out, Rule rule);
  template <class T, class Rule>
  void fill_by_pair(std::span<T> out, Rule rule);
  double uniform53();
  double normal_value();

  MersenneTwister engine_;
  std::optional<double> cached_normal_;  // the second of a pair, with mean 0 and deviation 1
};

// The order in which torch.utils.data.DataLoader visits n samples in one epoch. iter(loader) draws
// two words; with shuffle two more, which seed a second generator for randperm.
std::vector<std::int64_t> data_loader_order(Index n, bool shuffle, Generator& generator);

}  // namespace engine
