#include "engine/random/box_muller.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace engine::kernels {
namespace {

// Constants by their bits, which must equal PyTorch's.
constexpr float constant(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// sum of c_k x^(n - k), c_0 first.
template <class... Rest>
float horner(float y, float x, std::uint32_t c, Rest... rest) {
  y = std::fma(y, x, constant(c));
  if constexpr (sizeof...(rest) == 0)
    return y;
  else
    return horner(y, x, rest...);
}

// ln x for 2^-24 <= x <= 1, by Cephes' single-precision polynomial: x = 2^e m, 1/2 <= m < 1, and
// m is doubled where it is below sqrt(1/2); then a polynomial in m - 1.
float log_of_unit(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  float e = static_cast<float>((bits >> 23) - 127) + 1.0f;
  const float m = std::bit_cast<float>((bits & 0x007fffff) | 0x3f000000);
  const bool low = m < constant(0x3f3504f3);
  e = low ? e - 1.0f : e;
  x = low ? (m - 1.0f) + m : m - 1.0f;
  const float z = x * x;
  float y = horner(constant(0x3d9021bb), x, 0xbdebd1b8u, 0x3def251au, 0xbdfe5d4fu, 0x3e11e9bfu,
                   0xbe2aae50u, 0x3e4cceacu, 0xbe7ffffcu, 0x3eaaaaaau);
  y = std::fma(y * x, z, e * constant(0xb95e8083));
  y = std::fma(-z, constant(0x3f000000), y);
  return std::fma(e, constant(0x3f318000), x + y);
}

struct SinCos {
  float sin, cos;
};

// For 0 <= theta < 2 pi. j is the octant, rounded up to even; x = theta - j pi/4 with pi/4 in three
// parts. One polynomial each for sin x and cos x; j decides which is sin theta, and the signs.
SinCos sin_cos(float theta) {
  auto j = static_cast<std::int32_t>(theta * constant(0x3fa2f983));  // 4/pi
  j = (j + 1) & ~1;
  const auto y = static_cast<float>(j);
  float x = std::fma(y, constant(0xbf490000), theta);
  x = std::fma(y, constant(0xb97da000), x);
  x = std::fma(y, constant(0xb3222169), x);
  const float z = x * x;
  float c = horner(constant(0x37ccf5ce), z, 0xbab6061au, 0x3d2aaaa5u) * z;
  c = std::fma(c, z, -(z * 0.5f)) + 1.0f;
  float s = horner(constant(0xb94ca1f9), z, 0x3c08839eu, 0xbe2aaaa3u) * z;
  s = std::fma(s, x, x);
  const bool straight = (j & 2) == 0, sin_below = (j & 4) != 0, cos_below = ((j - 2) & 4) == 0;
  const float sine = straight ? s : c, cosine = straight ? c : s;
  return {sin_below ? -sine : sine, cos_below ? -cosine : cosine};
}

}  // namespace

// -O3 makes vectors of the loop.
void box_muller(float* block, float mean, float deviation) {
  for (int j = 0; j < 8; ++j) {
    const float u1 = 1.0f - block[j], u2 = block[j + 8];
    const float radius = std::sqrt(-2.0f * log_of_unit(u1));
    const SinCos angle = sin_cos(constant(0x40c90fdb) * u2);  // 2 pi
    block[j] = std::fma(radius * angle.cos, deviation, mean);
    block[j + 8] = std::fma(radius * angle.sin, deviation, mean);
  }
}

}  // namespace engine::kernels
