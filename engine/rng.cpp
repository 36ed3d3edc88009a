#include "engine/rng.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "engine/check.h"

namespace engine {
namespace {

constexpr std::size_t words = 624, middle = 397;

float bits(std::uint32_t pattern) { return std::bit_cast<float>(pattern); }

// ln x for 0 < x <= 1 as PyTorch's vectorised kernel computes it (Cephes' polynomial), every
// rounding in its place.
float log_as_pytorch(float x) {
  constexpr std::uint32_t p[] = {0x3d9021bb, 0xbdebd1b8, 0x3def251a, 0xbdfe5d4f, 0x3e11e9bf,
                                 0xbe2aae50, 0x3e4cceac, 0xbe7ffffc, 0x3eaaaaaa};
  x = std::max(x, bits(0x00800000));
  const auto pattern = std::bit_cast<std::uint32_t>(x);
  float e = static_cast<float>(static_cast<int>(pattern >> 23) - 127) + 1;
  x = bits((pattern & 0x807fffff) | 0x3f000000);
  if (x < bits(0x3f3504f3)) {
    e -= 1;
    x = (x - 1) + x;
  } else {
    x = x - 1;
  }
  const float z = x * x;
  float y = bits(p[0]);
  for (int k = 1; k < 9; ++k) y = std::fma(y, x, bits(p[k]));
  y = y * x;
  y = std::fma(y, z, e * bits(0xb95e8083));
  y = std::fma(-z, 0.5f, y);
  return std::fma(e, bits(0x3f318000), x + y);
}

struct SinCos {
  float sin, cos;
};

SinCos sincos_as_pytorch(float theta) {
  auto j = static_cast<std::int32_t>(theta * bits(0x3fa2f983));
  j = (j + 1) & ~1;
  const auto y = static_cast<float>(j);
  float x = std::fma(y, bits(0xbf490000), theta);
  x = std::fma(y, bits(0xb97da000), x);
  x = std::fma(y, bits(0xb3222169), x);
  const float z = x * x;
  float c = std::fma(std::fma(bits(0x37ccf5ce), z, bits(0xbab6061a)), z, bits(0x3d2aaaa5));
  c = c * z;
  c = std::fma(c, z, -(z * 0.5f)) + 1;
  float s = std::fma(std::fma(bits(0xb94ca1f9), z, bits(0x3c08839e)), z, bits(0xbe2aaaa3));
  s = s * z;
  s = std::fma(s, x, x);
  SinCos result = (j & 2) == 0 ? SinCos{s, c} : SinCos{c, s};
  if (j & 4) result.sin = -result.sin;
  if (~(j - 2) & 4) result.cos = -result.cos;
  return result;
}

float unit24(std::uint32_t word) { return static_cast<float>(word & 0xffffff) * 0x1p-24f; }

}  // namespace

Generator::Generator(std::uint64_t seed) {
  state_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t j = 1; j < words; ++j) {
    const std::uint32_t last = state_[j - 1];
    state_[j] = 1812433253 * (last ^ last >> 30) + j;
  }
}

void Generator::refill() {
  const auto mix = [&](std::size_t i, std::size_t j, std::size_t k) {
    const std::uint32_t y = (state_[i] & 0x80000000) | (state_[j] & 0x7fffffff);
    state_[i] = state_[k] ^ y >> 1 ^ ((y & 1) ? 0x9908b0df : 0);
  };
  for (std::size_t i = 0; i < words; ++i) mix(i, (i + 1) % words, (i + middle) % words);
  next_ = 0;
}

std::uint32_t Generator::random32() {
  if (next_ == words) refill();
  std::uint32_t y = state_[next_++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680;
  y ^= y << 15 & 0xefc60000;
  return y ^ y >> 18;
}

std::uint64_t Generator::random64() {
  const std::uint64_t high = random32();
  return high << 32 | random32();
}

double Generator::uniform53() {
  return static_cast<double>(random64() & ((std::uint64_t(1) << 53) - 1)) * 0x1p-53;
}

void Generator::uniform(std::span<real> out, double low, double high) {
  const auto from = static_cast<float>(low), range = static_cast<float>(high) - from;
  for (real& value : out) value = static_cast<real>(std::fma(unit24(random32()), range, from));
}

double Generator::normal_double() {
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

void Generator::normal(std::span<real> out, double mean, double deviation) {
  if (out.size() < 16) {
    for (real& value : out)
      value = static_cast<real>(static_cast<float>(std::fma(normal_double(), deviation, mean)));
    return;
  }
  const auto m = static_cast<float>(mean), d = static_cast<float>(deviation);
  for (real& value : out) value = static_cast<real>(unit24(random32()));
  const auto transform = [&](real* block) {
    for (int j = 0; j < 8; ++j) {
      const float u1 = 1 - static_cast<float>(block[j]), u2 = static_cast<float>(block[j + 8]);
      const float radius = std::sqrt(-2 * log_as_pytorch(u1));
      const SinCos angle = sincos_as_pytorch(bits(0x40c90fdb) * u2);
      block[j] = static_cast<real>(std::fma(radius * angle.cos, d, m));
      block[j + 8] = static_cast<real>(std::fma(radius * angle.sin, d, m));
    }
  };
  std::size_t i = 0;
  for (; i + 16 <= out.size(); i += 16) transform(&out[i]);
  if (i < out.size()) {  // the last 16 places are drawn anew
    real* const last = &out[out.size() - 16];
    for (int j = 0; j < 16; ++j) last[j] = static_cast<real>(unit24(random32()));
    transform(last);
  }
}

void Generator::randint(std::span<std::int64_t> out, std::int64_t low, std::int64_t high) {
  check(low < high, "randint: [", low, ", ", high, ") is empty");
  const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  for (std::int64_t& value : out) {
    const std::uint64_t word = range >> 32 == 0 ? random32() : random64();
    value = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + word % range);
  }
}

void Generator::dropout_mask(std::span<real> out, double p) {
  const float scale = 1 / static_cast<float>(1 - p);
  for (real& value : out) value = static_cast<real>(uniform53() < 1 - p ? scale : 0);
}

void Generator::discard_uniform(Index n) {
  while (n > 0) {
    if (next_ == words) refill();
    const Index skip = std::min(n, static_cast<Index>(words - next_));
    next_ += static_cast<std::size_t>(skip);
    n -= skip;
  }
}

void Generator::discard_normal(Index n) {
  if (n >= 16) return discard_uniform(n % 16 == 0 ? n : n + 16);
  for (Index i = 0; i < n; ++i) normal_double();
}

}  // namespace engine
