#include "engine/random/generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "engine/base/check.h"
#include "engine/random/box_muller.h"

namespace engine {
namespace {

constexpr auto block = static_cast<std::size_t>(kernels::normal_block);

float uniform24_of(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word & 0xffffff)) * 0x1p-24f;
}

double uniform53_of(std::uint64_t words) {
  return static_cast<double>(words & ((std::uint64_t(1) << 53) - 1)) * 0x1p-53;
}

// a b + c, fused as the compiler of a build with AVX2 makes it.
template <class T>
T multiply_add(bool fused, T a, T b, T c) {
  return fused ? std::fma(a, b, c) : a * b + c;
}

// MKL's multiplicative congruential generator MCG31m1, which its builds seed with one word for
// each call: x <- 1132489760 x mod (2^31 - 1), values x / (2^31 - 1), the seed itself first.
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

void check_probability(const char* name, double p) {
  check(p >= 0 && p <= 1, name, ": p ", p, " is not in [0, 1]");
}

}  // namespace

// out[i] = rule(word), for all i.
template <class T, class Rule>
void Generator::fill_by_word(std::span<T> out, Rule rule) {
  while (!out.empty()) {
    const std::span<const std::uint32_t> words = engine_.take(out.size());
    for (std::size_t i = 0; i < words.size(); ++i) out[i] = static_cast<T>(rule(words[i]));
    out = out.subspan(words.size());
  }
}

// out[i] = rule(two words), for all i. A pair may begin in one block of the engine and end in the
// next.
template <class T, class Rule>
void Generator::fill_by_pair(std::span<T> out, Rule rule) {
  while (!out.empty()) {
    const std::span<const std::uint32_t> words = engine_.take(2 * out.size());
    const std::size_t pairs = words.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i)
      out[i] = static_cast<T>(rule(std::uint64_t(words[2 * i]) << 32 | words[2 * i + 1]));
    out = out.subspan(pairs);
    if (words.size() % 2 == 1) {
      const std::uint64_t high = words.back();
      out[0] = static_cast<T>(rule(high << 32 | engine_.next()));
      out = out.subspan(1);
    }
  }
}

std::uint64_t Generator::random64() {
  const std::uint64_t high = random32();
  return high << 32 | random32();
}

double Generator::uniform53() { return uniform53_of(random64()); }

// --- numbers -------------------------------------------------------------------------------------

// low + u (high - low), the difference rounded to float first.
void Generator::uniform(std::span<real> out, double low, double high) {
  check(low <= high && std::isfinite(high - low), "uniform: [", low, ", ", high,
        ") is no interval");
  const auto from = static_cast<float>(low), range = static_cast<float>(high) - from;
  if (build_.avx2)
    fill_by_word(out,
                 [=](std::uint32_t word) { return std::fma(uniform24_of(word), range, from); });
  else
    fill_by_word(out, [=](std::uint32_t word) { return uniform24_of(word) * range + from; });
}

void Generator::uniform_float64(std::span<double> out, double low, double high) {
  check(low <= high && std::isfinite(high - low), "uniform: [", low, ", ", high,
        ") is no interval");
  const double range = high - low;
  fill_by_pair(out, [=, fused = build_.avx2](std::uint64_t words) {
    return multiply_add(fused, uniform53_of(words), range, low);
  });
}

// Full blocks of 16 are drawn and transformed one after the other. Where n is no multiple of 16,
// PyTorch has drawn the rest before, but then draws the last 16 places anew.
void Generator::normal(std::span<real> out, double mean, double deviation) {
  check(deviation >= 0, "normal: deviation ", deviation, " is negative");
  if (out.size() < block) return normal_one_by_one(out, mean, deviation);
  const auto transform = build_.avx2 ? kernels::box_muller : kernels::box_muller_scalar;
  const auto draw_block = [&](real* to) {
    std::array<float, block> values;
    fill_by_word(std::span<float>(values), uniform24_of);
    transform(values.data(), static_cast<float>(mean), static_cast<float>(deviation));
    std::copy(values.begin(), values.end(), to);
  };
  const std::size_t rest = out.size() % block;
  for (std::size_t i = 0; i + block <= out.size(); i += block) draw_block(&out[i]);
  if (rest == 0) return;
  engine_.discard(static_cast<Index>(rest));
  draw_block(&out[out.size() - block]);
}

// A pair of standard normal numbers takes u1, then u2:
//     sqrt(-2 ln (1 - u2)) cos(2 pi u1), kept for later the same with sin
double Generator::normal_value() {
  if (cached_normal_) {
    const double value = *cached_normal_;
    cached_normal_.reset();
    return value;
  }
  const double u1 = uniform53(), u2 = uniform53();
  const double radius = std::sqrt(-2 * std::log(1 - u2)), theta = 2 * std::numbers::pi * u1;
  cached_normal_ = radius * std::sin(theta);
  return radius * std::cos(theta);
}

void Generator::normal_one_by_one(std::span<real> out, double mean, double deviation) {
  check(deviation >= 0, "normal: deviation ", deviation, " is negative");
  for (real& value : out)
    value = static_cast<float>(multiply_add(build_.avx2, normal_value(), deviation, mean));
}

// The blocks of normal(), with uniform numbers of 53 bits and the C library's functions.
void Generator::normal_float64(std::span<double> out, double mean, double deviation) {
  check(deviation >= 0, "normal: deviation ", deviation, " is negative");
  if (out.size() < block) {
    for (double& value : out) value = multiply_add(build_.avx2, normal_value(), deviation, mean);
    return;
  }
  const auto draw_block = [&](double* to) {
    fill_by_pair(std::span(to, block), uniform53_of);
    for (std::size_t j = 0; j < block / 2; ++j) {
      const double u1 = 1 - to[j], u2 = to[j + block / 2];
      const double radius = std::sqrt(-2 * std::log(u1)), theta = 2 * std::numbers::pi * u2;
      to[j] = multiply_add(build_.avx2, radius * std::cos(theta), deviation, mean);
      to[j + block / 2] = multiply_add(build_.avx2, radius * std::sin(theta), deviation, mean);
    }
  };
  const std::size_t rest = out.size() % block;
  for (std::size_t i = 0; i + block <= out.size(); i += block) draw_block(&out[i]);
  if (rest == 0) return;
  engine_.discard(static_cast<Index>(2 * rest));
  draw_block(&out[out.size() - block]);
}

// -ln(1 - u) / rate; with MKL -ln(u) / rate, and never 0.
void Generator::exponential(std::span<real> out, double rate) {
  check(rate > 0, "exponential: rate ", rate, " is not positive");
  if (build_.mkl) {
    Mcg31 mcg(random32());
    for (real& value : out)
      value = static_cast<float>(-std::log(mcg.next()) / rate) + std::numeric_limits<float>::min();
    return;
  }
  fill_by_pair(out, [factor = -1 / rate](std::uint64_t words) {
    return static_cast<float>(factor * std::log(1 - uniform53_of(words)));
  });
}

void Generator::randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high) {
  check(low < high, "randint: [", low, ", ", high, ") is empty");
  const auto from = static_cast<std::uint64_t>(low),
             range = static_cast<std::uint64_t>(high) - from;
  const auto rule = [=](std::uint64_t word) { return from + word % range; };
  if (range >> 32 == 0)
    fill_by_word(out, rule);
  else
    fill_by_pair(out, rule);
}

void Generator::random_int64(std::span<std::int64_t> out) {
  fill_by_pair(out, [](std::uint64_t words) { return words & ~(std::uint64_t(1) << 63); });
}

std::vector<std::int64_t> Generator::randperm(Index n) {
  constexpr Index limit = (Index(1) << 32) / 20;
  check(n >= 0 && n < limit, "randperm: n ", n, " is not in [0, ", limit, ")");
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    std::swap(order[i], order[i + random32() % (order.size() - i)]);
  return order;
}

// --- choices -------------------------------------------------------------------------------------

void Generator::bernoulli(std::span<real> out, double p) {
  check_probability("bernoulli", p);
  if (build_.mkl) {
    Mcg31 mcg(random32());
    for (real& value : out) value = mcg.next() < p ? 1 : 0;
    return;
  }
  fill_by_pair(out, [p](std::uint64_t words) { return uniform53_of(words) < p ? 1 : 0; });
}

void Generator::bernoulli(std::span<real> out, std::span<const real> p) {
  check(out.size() == p.size(), "bernoulli: ", out.size(), " values for ", p.size(),
        " probabilities");
  for (const real probability : p) check_probability("bernoulli", static_cast<double>(probability));
  for (std::size_t i = 0; i < p.size(); ++i)
    out[i] = uniform24_of(random32()) < static_cast<float>(p[i]) ? 1 : 0;
}

// Both roundings to float, of 1 - p and of its reciprocal, are PyTorch's.
void Generator::dropout_mask(std::span<real> out, double p) {
  check_probability("dropout", p);
  if (p == 0 || p == 1) return std::fill(out.begin(), out.end(), static_cast<real>(1 - p));
  const real scale = 1 / static_cast<float>(1 - p);
  bernoulli(out, 1 - p);
  for (real& value : out) value *= scale;
}

// Without replacement: with q exponential of rate 1, p_i / q_i is largest with probability
// p_i / sum p; the k largest, the largest first, are k draws. With replacement: each draw finds u
// in the running sums of p.
void Generator::multinomial(std::span<const real> p, std::span<std::int64_t> out, bool replacement,
                            Index rows) {
  const auto n = static_cast<std::size_t>(rows);
  check(rows > 0 && p.size() % n == 0 && out.size() % n == 0 && !p.empty(),
        "multinomial: ", p.size(), " weights and ", out.size(), " indices do not make ", rows,
        " rows");
  const std::size_t categories = p.size() / n, k = out.size() / n;
  check(replacement || k <= categories, "multinomial: ", k, " different indices from ", categories,
        " weights");
  for (std::size_t row = 0; row < n; ++row) {
    double sum = 0;
    for (const real weight : p.subspan(row * categories, categories)) {
      check(weight >= 0 && std::isfinite(weight), "multinomial: weight ", weight,
            " is not a number >= 0");
      sum += static_cast<double>(weight);
    }
    check(sum > 0, "multinomial: the weights add up to 0");
  }

  std::vector<real> values(p.size());
  if (!replacement) {
    exponential(values);
    for (std::size_t i = 0; i < p.size(); ++i)
      values[i] = p[i] > 0 ? static_cast<float>(p[i]) / static_cast<float>(values[i]) : 0;
  }
  std::vector<std::int64_t> order(categories);
  for (std::size_t row = 0; row < n; ++row) {
    const std::span<real> value = std::span(values).subspan(row * categories, categories);
    const std::span<std::int64_t> index = out.subspan(row * k, k);
    if (replacement) {
      float sum = 0;
      for (std::size_t j = 0; j < categories; ++j)
        value[j] = sum += static_cast<float>(p[row * categories + j]);
      for (real& v : value) v = static_cast<float>(v) / sum;
      value.back() = 1;
      for (std::int64_t& i : index)
        i = std::lower_bound(value.begin(), value.end(), uniform53()) - value.begin();
    } else {
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                        [&](std::int64_t a, std::int64_t b) {
                          const real va = value[static_cast<std::size_t>(a)];
                          const real vb = value[static_cast<std::size_t>(b)];
                          return va > vb || (va == vb && a < b);
                        });
      std::copy_n(order.begin(), k, index.begin());
    }
  }
}

std::vector<std::int64_t> data_loader_order(Index n, bool shuffle, Generator& generator) {
  generator.random64();  // the base seed of worker processes
  if (shuffle) return Generator(generator.random64()).randperm(n);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// --- position ------------------------------------------------------------------------------------

void Generator::discard_normal(Index n) {
  constexpr auto size = static_cast<Index>(block);
  if (n >= size) return engine_.discard(n % size == 0 ? n : n + size);
  for (Index i = 0; i < n; ++i) normal_value();
}

}  // namespace engine
