#include "engine/random/generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/number.h"
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

}  // namespace

// out[i] = rule(word), for all i.
template <class T, class Rule>
void Generator::fill_by_word(std::span<T> out, Rule rule) {
  for (T& value : out) value = static_cast<T>(rule(random32()));
}

// out[i] = rule(two words), for all i.
template <class T, class Rule>
void Generator::fill_by_pair(std::span<T> out, Rule rule) {
  for (T& value : out) value = static_cast<T>(rule(random64()));
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
  discard_uniform(static_cast<Index>(rest));
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

// With q_i exponential of rate 1, p_i / q_i is the maximum with probability p_i / sum p.
Id Generator::multinomial(std::span<const real> p) {
  double sum = 0;
  for (const real weight : p) {
    check(weight >= 0 && std::isfinite(weight), "multinomial: weight ", weight,
          " is not a number >= 0");
    sum += static_cast<double>(weight);
  }
  check(sum > 0, "multinomial: the weights add up to 0");
  std::vector<real> q(p.size());
  exponential(q);
  const auto quotient = [&](Id i) {
    return at(p, i) > 0 ? static_cast<float>(at(p, i)) / static_cast<float>(at(q, i)) : 0;
  };
  Id best = 0;
  for (Id i = 1; i < std::ssize(p); ++i)
    if (quotient(i) > quotient(best)) best = i;
  return best;
}

// --- position ------------------------------------------------------------------------------------

void Generator::discard_uniform(Index n) {
  check(n >= 0, "generator: cannot discard ", n, " numbers");
  drawn_ += static_cast<std::uint64_t>(n);
  engine_.discard(static_cast<unsigned long long>(n));
}

void Generator::discard_normal(Index n) {
  constexpr auto size = static_cast<Index>(block);
  check(n >= 0, "generator: cannot discard ", n, " numbers");
  if (n >= size) return discard_uniform(n % size == 0 ? n : n + size);
  for (Index i = 0; i < n; ++i) normal_value();
}

std::string Generator::state() const {
  const std::string words = joined(seed_, ' ', drawn_);
  return cached_normal_ ? words + ' ' + number_text(*cached_normal_) : words;
}

void Generator::set_state(std::string_view text) {
  constexpr std::uint64_t most = std::uint64_t(1) << 36;  // some ten seconds
  std::string_view rest = text;
  const auto read_next = [&](auto& value) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    (void)parse_number(rest.substr(0, end), value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  };
  std::uint64_t seed = 0, drawn = 0;
  read_next(seed);
  read_next(drawn);
  Generator restored(seed);
  restored.discard_uniform(static_cast<Index>(drawn <= most ? drawn : 0));
  if (!rest.empty()) read_next(restored.cached_normal_.emplace(0));
  check(restored.state() == text, "generator state: ", text.substr(0, 100),
        " is not a seed, a number of words up to ", most, " and perhaps a normal number");
  *this = restored;
}

}  // namespace engine
