#include "engine/random/generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/random/box_muller.h"

namespace engine {
namespace {

constexpr std::size_t block = kernels::normal_block;

float uniform24_of(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word & 0xffffff)) * 0x1p-24f;
}

double uniform53_of(std::uint64_t words) {
  return static_cast<double>(words & ((std::uint64_t(1) << 53) - 1)) * 0x1p-53;
}

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

// out[i] = rule(two words), for all i. The two words of a pair may be in different blocks of the
// engine.
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

// low + u (high - low); high - low is rounded to float first.
void Generator::uniform(std::span<real> out, double low, double high) {
  check(low <= high && std::isfinite(high - low), "uniform: [", low, ", ", high,
        ") is not an interval");
  const auto from = static_cast<float>(low), range = static_cast<float>(high) - from;
  fill_by_word(out, [=](std::uint32_t word) { return std::fma(uniform24_of(word), range, from); });
}

// Blocks of 16. If n is not a multiple of 16, PyTorch draws a value for each of the rest, discards
// them, and draws the last 16 elements again as a block.
void Generator::normal(std::span<real> out, double mean, double deviation) {
  check(deviation >= 0, "normal: deviation ", deviation, " is negative");
  if (out.size() < block) {
    for (real& value : out) value = static_cast<float>(std::fma(normal_value(), deviation, mean));
    return;
  }
  const auto draw_block = [&](real* to) {
    std::array<float, block> values;
    fill_by_word(std::span<float>(values), uniform24_of);
    kernels::box_muller(values.data(), static_cast<float>(mean), static_cast<float>(deviation));
    std::copy(values.begin(), values.end(), to);
  };
  const std::size_t rest = out.size() % block;
  for (std::size_t i = 0; i + block <= out.size(); i += block) draw_block(&out[i]);
  if (rest == 0) return;
  engine_.discard(static_cast<Index>(rest));
  draw_block(&out[out.size() - block]);
}

// A pair of standard normal numbers from u1, then u2:
//     sqrt(-2 ln (1 - u2)) cos(2 pi u1); the second has sin instead of cos and is cached
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

// -ln(1 - u) / rate
void Generator::exponential(std::span<real> out, double rate) {
  check(rate > 0, "exponential: rate ", rate, " is not positive");
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

void Generator::randint(std::span<Id> out, Index low, Index high) {
  using Limits = std::numeric_limits<Id>;
  check(low < high, "randint: [", low, ", ", high, ") is empty");
  check(Limits::min() <= low && high - 1 <= Limits::max(), "randint: [", low, ", ", high,
        ") does not fit an id, at most ", Limits::max());
  fill_by_word(out, [low, range = high - low](std::uint32_t word) { return low + word % range; });
}

std::vector<std::int64_t> Generator::randperm(Index n) {
  constexpr Index limit = (Index(1) << 32) / 20;
  check(n >= 0 && n < limit, "randperm: n ", n, " is not in [0, ", limit, ")");
  std::vector<std::int64_t> order(unsigned_size(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    std::swap(order[i], order[i + random32() % (order.size() - i)]);
  return order;
}

// --- choices -------------------------------------------------------------------------------------

void Generator::bernoulli(std::span<real> out, double p) {
  check_probability("bernoulli", p);
  fill_by_pair(out, [p](std::uint64_t words) { return uniform53_of(words) < p ? 1 : 0; });
}

void Generator::bernoulli(std::span<real> out, std::span<const real> p) {
  check(out.size() == p.size(), "bernoulli: ", out.size(), " values for ", p.size(),
        " probabilities");
  for (const real probability : p) check_probability("bernoulli", static_cast<double>(probability));
  for (std::size_t i = 0; i < p.size(); ++i)
    out[i] = uniform24_of(random32()) < static_cast<float>(p[i]) ? 1 : 0;
}

// PyTorch rounds both 1 - p and its reciprocal to float.
void Generator::dropout_mask(std::span<real> out, double p) {
  check_probability("dropout", p);
  if (p == 0 || p == 1) return std::fill(out.begin(), out.end(), static_cast<real>(1 - p));
  const real scale = 1 / static_cast<float>(1 - p);
  bernoulli(out, 1 - p);
  for (real& value : out) value *= scale;
}

// Without replacement: with q_i exponential of rate 1, p_i / q_i is the maximum with probability
// p_i / sum p; the indices of the k largest, in descending order, are k draws. With replacement:
// each draw looks up a uniform number in the cumulative sums of p.
void Generator::multinomial(std::span<const real> p, std::span<Id> out, bool replacement,
                            Index rows) {
  const std::size_t n = unsigned_size(rows);
  check(rows > 0 && p.size() % n == 0 && out.size() % n == 0 && !p.empty(),
        "multinomial: ", p.size(), " weights and ", out.size(), " indices do not make ",
        counted(rows, "row"));
  const std::size_t categories = p.size() / n, k = out.size() / n;
  check(replacement || k <= categories, "multinomial: ", k, " different indices from ",
        counted(static_cast<Index>(categories), "weight"));
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
  std::vector<Id> order(categories);
  for (std::size_t row = 0; row < n; ++row) {
    const std::span<real> value = std::span(values).subspan(row * categories, categories);
    const std::span<Id> index = out.subspan(row * k, k);
    if (replacement) {
      float sum = 0;
      for (std::size_t j = 0; j < categories; ++j)
        value[j] = sum += static_cast<float>(p[row * categories + j]);
      for (real& v : value) v = static_cast<float>(v) / sum;
      value.back() = 1;
      for (Id& i : index)
        i = static_cast<Id>(std::ranges::lower_bound(value, uniform53()) - value.begin());
    } else {
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                        [&](Id a, Id b) {
                          const real va = at(value, a), vb = at(value, b);
                          return va > vb || (va == vb && a < b);
                        });
      std::copy_n(order.begin(), k, index.begin());
    }
  }
}

std::vector<std::int64_t> data_loader_order(Index n, bool shuffle, Generator& generator) {
  generator.random64();  // the base seed of worker processes
  if (shuffle) return Generator(generator.random64()).randperm(n);
  std::vector<std::int64_t> order(unsigned_size(n));
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
