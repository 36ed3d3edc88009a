// The vector operations of simd.h, lane by lane, as their comments define them.
#include "engine/kernels/simd.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/catch.h"

using namespace engine::kernels;
using engine::Index;
using engine::real;

namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();
constexpr real nan_value = std::numeric_limits<real>::quiet_NaN();
constexpr real samples[] = {0,        real(-0.0), 1,          -1,        real(0.1), real(-7.25),
                            infinity, -infinity,  real(1e30), nan_value, 3,         real(-1e-30)};

// Lanes 1, 2, 3, ...
Vec counting() {
  Vec v;
  for (int i = 0; i < lanes; ++i) v[i] = real(i + 1);
  return v;
}

bool same_bits(real a, real b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("simd: every lane holds the number that is broadcast, its sign too") {
  for (const real x : samples)
    for (int i = 0; i < lanes; ++i) {
      INFO("x " << x << ", lane " << i);
      CHECK((std::isnan(x) ? std::isnan(splat(x)[i]) : same_bits(splat(x)[i], x)));
    }
}

TEST_CASE("simd: parts of a vector are loaded and stored without touching what lies behind") {
  for (Index n = 0; n <= lanes; ++n) {
    INFO(n << " lanes");
    real memory[lanes];
    store(memory, counting());
    const Vec part = load_part(memory, n);
    const IntVec first = first_lanes(n);
    real to[lanes];
    store(to, splat(-5));
    store_part(to, counting(), n);
    for (int i = 0; i < lanes; ++i) {
      INFO("lane " << i);
      CHECK(part[i] == (i < n ? real(i + 1) : 0));
      CHECK(first[i] == (i < n ? -1 : 0));
      CHECK(to[i] == (i < n ? real(i + 1) : -5));
    }
  }
}

TEST_CASE("simd: max, min, abs, sign, fma and select of all pairs of numbers") {
  for (const real a : samples)
    for (const real b : samples) {
      const Vec u = splat(a), v = splat(b);
      INFO("a " << a << ", b " << b);
      const auto is = [](Vec got, real expected) {
        for (int i = 0; i < lanes; ++i)
          if (std::isnan(expected) ? !std::isnan(got[i]) : !(got[i] == expected)) return false;
        return true;
      };
      CHECK(is(max(u, v), a > b ? a : b));  // b where either is NaN
      CHECK(is(min(u, v), a < b ? a : b));
      CHECK(same_bits(abs(u)[lanes - 1], std::abs(a)));
      if (!std::isnan(a)) CHECK(same_bits(copy_sign(u, v)[lanes - 1], std::copysign(a, b)));
      CHECK(is(select(u < v, u, v), a < b ? a : b));
      // SSE2 has no fma: it rounds twice.
      CHECK((is(fma(u, v, u), std::fma(a, b, a)) || is(fma(u, v, u), a * b + a)));
    }
}

TEST_CASE("simd: sums and maxima across lanes, rows that become columns") {
  CHECK(reduce_add(counting()) == real(lanes * (lanes + 1) / 2));
  for (int i = 0; i < lanes; ++i) {
    Vec v = splat(-3);
    v[i] = -2;
    CHECK(reduce_max(v) == -2);
    CHECK(reduce_add(v) == real(1 - 3 * lanes));
  }
  Vec rows[lanes];
  for (int i = 0; i < lanes; ++i)
    for (int j = 0; j < lanes; ++j) rows[i][j] = real(100 * i + j);
  transpose(rows);
  for (int i = 0; i < lanes; ++i)
    for (int j = 0; j < lanes; ++j) {
      INFO("row " << i << ", column " << j);
      REQUIRE(rows[i][j] == real(100 * j + i));
    }
}
