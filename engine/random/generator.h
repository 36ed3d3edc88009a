// Random numbers as PyTorch's CPU generator makes them: the same seed gives the same weights, the
// same batches, the same dropout masks. The engine is MT19937; how its words become numbers, in
// which order and with which rounding, is said beside each function.
//
//     Generator generator(1337);
//     generator.normal(values, 0, 0.02);
//
// A span of `real` is filled by PyTorch's rules for float32 in both builds (the double build widens
// the values), so that both start from the same numbers; the rules for float64 have names of
// their own. A tensor that is not contiguous PyTorch fills in memory order, as if it were.
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

// PyTorch's builds differ in what they draw. The default is an x86-64 build without MKL, such as
// Debian's; the official wheels for x86-64 have MKL; macOS and ARM have neither AVX2 nor MKL.
struct PyTorchBuild {
  bool avx2 = true;  // without: other roundings of normal and uniform numbers, no more
  bool mkl = false;  // with: other dropout masks, bernoulli(p) and exponential numbers altogether
};

class Generator {
 public:
  // As manual_seed(seed): only the low 32 bits reach the engine.
  explicit Generator(std::uint64_t seed, PyTorchBuild build = {})
      : engine_(static_cast<std::uint32_t>(seed)), build_(build) {}
  // A copy repeats the numbers of the original, which is hardly ever meant: it has to be said.
  explicit Generator(const Generator&) = default;
  Generator& operator=(const Generator&) = default;

  std::uint32_t random32() { return engine_.next(); }
  std::uint64_t random64();  // the first word drawn is the high half

  // --- numbers ---------------------------------------------------------------------------------

  // rand, uniform_: in [low, high), one word each (its low 24 bits).
  void uniform(std::span<real> out, double low, double high);
  // randn, normal_: 16 values or more by Box and Muller's method in float, a word each (and 16
  // more where their number is not a multiple of 16); fewer as normal_one_by_one.
  void normal(std::span<real> out, double mean, double deviation);
  // The same in double precision, in pairs of four words, the second of which is kept for later
  // calls; also what PyTorch does for a tensor of any size that is not contiguous.
  void normal_one_by_one(std::span<real> out, double mean, double deviation);
  // exponential_: density rate exp(-rate x), two words each.
  void exponential(std::span<real> out, double rate = 1);

  // The same for dtype=torch.float64; every value takes twice the words.
  void uniform_float64(std::span<double> out, double low, double high);
  void normal_float64(std::span<double> out, double mean, double deviation);

  // randint, random_(low, high): in [low, high), one word each, or two if high - low >= 2^32.
  void randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high);
  // random_(): in [0, 2^63), two words each.
  void random_int64(std::span<std::int64_t> out);
  // 0..n-1 in random order: n - 1 words. n < 2^32 / 20.
  std::vector<std::int64_t> randperm(Index n);

  // --- choices ---------------------------------------------------------------------------------

  // bernoulli_(p): 1 with probability p, else 0, two words each.
  void bernoulli(std::span<real> out, double p);
  // bernoulli(P): element i is 1 with probability p[i], one word each.
  void bernoulli(std::span<real> out, std::span<const real> p);
  // What dropout(p) multiplies by: 1 / (1 - p) with probability 1 - p, else 0, two words each;
  // p = 0 and p = 1 draw nothing.
  void dropout_mask(std::span<real> out, double p);
  // multinomial: p is (rows, categories), weights >= 0 that need not add up to 1; out is (rows, k),
  // each row k indices drawn with these weights. Without replacement they differ from each other.
  // Two words for each weight, or with replacement for each index.
  void multinomial(std::span<const real> p, std::span<std::int64_t> out, bool replacement = false,
                   Index rows = 1);

  // --- position --------------------------------------------------------------------------------

  // As if n values had been drawn by uniform or normal, without computing them.
  void discard_uniform(Index n) { engine_.discard(n); }
  void discard_normal(Index n);

  // Everything that decides the numbers to come, as printable ASCII (5 kB); not the build.
  std::string state() const;
  // Goes on from there. Throws Error, and changes nothing, if it is not what state() returned.
  void set_state(std::string_view text);

 private:
  template <class T, class Rule>
  void fill_by_word(std::span<T> out, Rule rule);
  template <class T, class Rule>
  void fill_by_pair(std::span<T> out, Rule rule);
  double uniform53();
  double normal_value();

  MersenneTwister engine_;
  std::optional<double> cached_normal_;  // the second of a pair, before deviation and mean
  PyTorchBuild build_;
};

// The order in which DataLoader visits n samples in one epoch, and its draws: iter(loader) takes
// two words whether it shuffles or not, shuffling takes two more as the seed of a generator of
// its own.
std::vector<std::int64_t> data_loader_order(Index n, bool shuffle, Generator& generator);

}  // namespace engine
