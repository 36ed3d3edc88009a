#include "engine/random/box_muller.h"

#include <bit>
#include <cstdint>

#include "engine/kernels/quad.h"

namespace engine::kernels {
namespace {

// Constants by their bits, which must equal PyTorch's.
Quad constant(std::uint32_t bits) { return std::bit_cast<float>(bits) - Quad{}; }

// sum of c_k x^(n - k), c_0 first.
template <class... Rest>
Quad horner(Quad y, Quad x, std::uint32_t c, Rest... rest) {
  y = quad_fma(y, x, constant(c));
  if constexpr (sizeof...(rest) == 0)
    return y;
  else
    return horner(y, x, rest...);
}

// ln x for 2^-24 <= x <= 1, by Cephes' single-precision polynomial: x = 2^e m, 1/2 <= m < 1, and
// m is doubled where it is below sqrt(1/2); then a polynomial in m - 1.
Quad log_of_unit(Quad x) {
  const IntQuad bits = (IntQuad)x;
  Quad e = __builtin_convertvector((bits >> 23) - 127, Quad) + 1.0f;
  const Quad m = (Quad)((bits & 0x007fffff) | 0x3f000000);
  const IntQuad low = m < constant(0x3f3504f3);
  e = low ? e - 1.0f : e;
  x = low ? (m - 1.0f) + m : m - 1.0f;
  const Quad z = x * x;
  Quad y = horner(constant(0x3d9021bb), x, 0xbdebd1b8u, 0x3def251au, 0xbdfe5d4fu, 0x3e11e9bfu,
                  0xbe2aae50u, 0x3e4cceacu, 0xbe7ffffcu, 0x3eaaaaaau);
  y = quad_fma(y * x, z, e * constant(0xb95e8083));
  y = quad_fma(-z, constant(0x3f000000), y);
  return quad_fma(e, constant(0x3f318000), x + y);
}

struct SinCos {
  Quad sin, cos;
};

// For 0 <= theta < 2 pi. j is the octant, rounded up to even; x = theta - j pi/4 with pi/4 in three
// parts. One polynomial each for sin x and cos x; j decides which is sin theta, and the signs.
SinCos sin_cos(Quad theta) {
  IntQuad j = __builtin_convertvector(theta * constant(0x3fa2f983), IntQuad);  // 4/pi
  j = (j + 1) & ~1;
  const Quad y = __builtin_convertvector(j, Quad);
  Quad x = quad_fma(y, constant(0xbf490000), theta);
  x = quad_fma(y, constant(0xb97da000), x);
  x = quad_fma(y, constant(0xb3222169), x);
  const Quad z = x * x;
  Quad c = horner(constant(0x37ccf5ce), z, 0xbab6061au, 0x3d2aaaa5u) * z;
  c = quad_fma(c, z, -(z * 0.5f)) + 1.0f;
  Quad s = horner(constant(0xb94ca1f9), z, 0x3c08839eu, 0xbe2aaaa3u) * z;
  s = quad_fma(s, x, x);
  const IntQuad straight = (j & 2) == 0;
  const IntQuad sin_sign = (j & 4) << 29, cos_sign = (~(j - 2) & 4) << 29;
  return {(Quad)((IntQuad)(straight ? s : c) ^ sin_sign),
          (Quad)((IntQuad)(straight ? c : s) ^ cos_sign)};
}

}  // namespace

void box_muller(float* block, float mean, float deviation) {
  const Quad m = mean - Quad{}, d = deviation - Quad{};
  for (int j = 0; j < 8; j += 4) {
    const Quad u1 = 1.0f - quad_load(block + j), u2 = quad_load(block + j + 8);
    const Quad radius = quad_sqrt(-2.0f * log_of_unit(u1));
    const SinCos angle = sin_cos(constant(0x40c90fdb) * u2);  // 2 pi
    quad_store(block + j, quad_fma(radius * angle.cos, d, m));
    quad_store(block + j + 8, quad_fma(radius * angle.sin, d, m));
  }
}

}  // namespace engine::kernels
