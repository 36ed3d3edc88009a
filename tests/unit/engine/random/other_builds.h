// Rules of PyTorch's generator that the engine does not need, on random32() and random64() of its
// generator: float64 tensors, random_() of int64 tensors, and builds other than x86-64 with AVX2
// and without MKL.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "engine/random/generator.h"

namespace other_builds {

using engine::Generator;
using engine::real;

inline double uniform53(Generator& g) {
  return static_cast<double>(g.random64() & ((std::uint64_t(1) << 53) - 1)) * 0x1p-53;
}
inline float uniform24(Generator& g) {
  return static_cast<float>(g.random32() & 0xffffff) * 0x1p-24f;
}

// random_(): in [0, 2^63), two words each.
inline void random_int64(Generator& g, std::span<std::int64_t> out) {
  for (std::int64_t& value : out)
    value = static_cast<std::int64_t>(g.random64() & ~(std::uint64_t(1) << 63));
}

// Uniform and normal numbers of float64 tensors, and of float32 tensors in builds without AVX2.
class Rules {
 public:
  // fused: as in builds with AVX2, which contract a b + c.
  Rules(Generator& generator, bool fused) : generator_(generator), fused_(fused) {}

  void uniform(std::span<real> out, double low, double high) {
    const auto from = static_cast<float>(low), range = static_cast<float>(high) - from;
    for (real& value : out) value = multiply_add(uniform24(generator_), range, from);
  }
  void uniform_float64(std::span<double> out, double low, double high) {
    for (double& value : out) value = multiply_add(uniform53(generator_), high - low, low);
  }
  // Blocks of 16; if n is not a multiple of 16, the last 16 values are drawn again.
  void normal(std::span<real> out, double mean, double deviation) {
    if (out.size() < 16) {
      for (real& value : out)
        value = static_cast<float>(multiply_add(pair_value(), deviation, mean));
      return;
    }
    const auto m = static_cast<float>(mean), d = static_cast<float>(deviation);
    in_blocks(out, 1, [&](std::span<real> block) {
      for (real& value : block) value = uniform24(generator_);
      for (std::size_t j = 0; j < 8; ++j) {
        const auto u1 = 1 - static_cast<float>(block[j]), u2 = static_cast<float>(block[j + 8]);
        const float radius = std::sqrt(-2 * std::log(u1));
        const auto theta = static_cast<float>(2 * std::numbers::pi * static_cast<double>(u2));
        block[j] = radius * std::cos(theta) * d + m;
        block[j + 8] = radius * std::sin(theta) * d + m;
      }
    });
  }
  void normal_float64(std::span<double> out, double mean, double deviation) {
    if (out.size() < 16) {
      for (double& value : out) value = multiply_add(pair_value(), deviation, mean);
      return;
    }
    in_blocks(out, 2, [&](std::span<double> block) {
      for (double& value : block) value = uniform53(generator_);
      for (std::size_t j = 0; j < 8; ++j) {
        const double radius = std::sqrt(-2 * std::log(1 - block[j]));
        const double theta = 2 * std::numbers::pi * block[j + 8];
        block[j] = multiply_add(radius * std::cos(theta), deviation, mean);
        block[j + 8] = multiply_add(radius * std::sin(theta), deviation, mean);
      }
    });
  }

 private:
  template <class T>
  T multiply_add(T a, T b, T c) const {
    return fused_ ? std::fma(a, b, c) : a * b + c;
  }
  double pair_value() {
    if (has_cached_) {
      has_cached_ = false;
      return cached_;
    }
    const double u1 = uniform53(generator_), u2 = uniform53(generator_);
    const double radius = std::sqrt(-2 * std::log(1 - u2)), theta = 2 * std::numbers::pi * u1;
    cached_ = radius * std::sin(theta);
    has_cached_ = true;
    return radius * std::cos(theta);
  }
  template <class T, class DrawBlock>
  void in_blocks(std::span<T> out, engine::Index words_per_value, DrawBlock draw_block) {
    std::size_t i = 0;
    for (; i + 16 <= out.size(); i += 16) draw_block(out.subspan(i, 16));
    generator_.discard_uniform(std::ssize(out.subspan(i)) * words_per_value);
    if (i < out.size()) draw_block(out.last(16));
  }

  Generator& generator_;
  bool fused_;
  bool has_cached_ = false;
  double cached_ = 0;
};

// MKL's multiplicative congruential generator MCG31m1, seeded with one word for each call:
// x <- 1132489760 x mod (2^31 - 1), values x / (2^31 - 1), beginning with the seed.
class Mcg31 {
 public:
  explicit Mcg31(std::uint32_t seed) : x_(seed % modulus == 0 ? 1 : seed % modulus) {}
  double next() {
    const double value = static_cast<double>(x_) / modulus;
    x_ = x_ * 1132489760 % modulus;
    return value;
  }

 private:
  static constexpr std::uint32_t modulus = 0x7fffffff;
  std::uint64_t x_;
};

// bernoulli_(p) with MKL; dropout(1 - p) keeps the elements that are 1.
inline std::vector<std::int64_t> mkl_bernoulli(Generator& g, std::size_t n, double p) {
  Mcg31 mcg(g.random32());
  std::vector<std::int64_t> out(n);
  for (std::int64_t& value : out) value = mcg.next() < p;
  return out;
}
// One draw of multinomial with MKL: the maximum of p_i / q_i, with q_i exponential of rate 1.
inline std::int64_t mkl_multinomial(Generator& g, std::span<const real> p) {
  Mcg31 mcg(g.random32());
  std::vector<float> values;
  for (const real weight : p) {
    const float q = static_cast<float>(-std::log(mcg.next())) + std::numeric_limits<float>::min();
    values.push_back(static_cast<float>(weight) / q);
  }
  return std::ranges::max_element(values) - values.begin();
}

}  // namespace other_builds
