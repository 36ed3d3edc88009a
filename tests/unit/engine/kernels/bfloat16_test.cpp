// The vector functions of bfloat16.h, which use the CPU's instructions if it has them, against
// plain C++.
#include "engine/kernels/bfloat16.h"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/kernels/gemm/gemm.h"
#include "tests/catch.h"
#include "tests/unit/engine/kernels/bfloat16_exact.h"

using namespace engine;
using namespace engine::kernels;

namespace {

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

std::uint32_t next_bits() {
  static std::uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<std::uint32_t>(state >> 32);
}

// The same number, -0 unlike 0; or both NaN.
bool same(float x, float y) { return bits_of(x) == bits_of(y) || (x != x && y != y); }
bool same_bfloat16(std::uint32_t x, std::uint32_t y) {
  return same(kernels::plain::from_bfloat16(x), kernels::plain::from_bfloat16(y));
}

std::uint32_t lane(Pairs p, int i) { return static_cast<std::uint32_t>(p[i]); }

Pairs in_all_lanes(std::uint32_t pair) { return splat_bits(static_cast<Bits>(pair)); }

// A bfloat16 with an exponent of `lowest` to lowest + 7, a float with one of lowest to lowest + 15.
std::uint32_t bfloat16_near(std::uint32_t lowest) {
  return (next_bits() & 0x807f) | (lowest + next_bits() % 8) << 7;
}
float float_near(std::uint32_t lowest) {
  return float_of((next_bits() & 0x807fffff) | (lowest + next_bits() % 16) << 23);
}

}  // namespace

TEST_CASE("bfloat16: rounded to nearest, ties to even") {
  const auto rounded = [](std::uint32_t bits) {
    return kernels::plain::to_bfloat16(float_of(bits));
  };
  CHECK(rounded(0x3f800000) == 0x3f80);  // 1
  CHECK(rounded(0x3f807fff) == 0x3f80);  // just below the middle of 1 and the next
  CHECK(rounded(0x3f808000) == 0x3f80);  // the middle: to the even one
  CHECK(rounded(0x3f808001) == 0x3f81);
  CHECK(rounded(0x3f818000) == 0x3f82);  // the next middle: up
  CHECK(rounded(0xbf818000) == 0xbf82);
  CHECK(rounded(0x3fffffff) == 0x4000);  // the carry reaches the exponent
  CHECK(rounded(0x7f7fffff) == 0x7f80);  // and infinity
  CHECK(rounded(0x7f800000) == 0x7f80);
  CHECK(rounded(0x7f800001) == 0x7fc0);  // NaN, which cutting off alone would make infinite
  CHECK(rounded(0x807fffff) == 0x8000);  // denormal
  CHECK(rounded(0x00800000) == 0x0080);  // the least that is not
}

TEST_CASE("bfloat16: pairs in lanes are the plain ones") {
  const std::array<std::uint32_t, 12> special = {0x3f807fff, 0x3f808000, 0x3f808001, 0x3f818000,
                                                 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001,
                                                 0x007fffff, 0x80000001, 0x80000000, 0x00800000};
  for (int round = 0; round < 20000; ++round) {
    Vec first, second;
    for (int i = 0; i < lanes; ++i) {
      const auto number = [&] {
        const std::uint32_t at = next_bits() % 64;
        return static_cast<real>(float_of(at < special.size() ? special[at] : next_bits()));
      };
      first[i] = number();
      second[i] = number();
    }
    const Pairs across = pairs_of_lanes(first, second),
                neighbors = pairs_of_neighbors(first, second);
    bool all_same = true;
    for (int i = 0; i < lanes; ++i) {
      const auto rounded = [](real x) {
        return kernels::plain::to_bfloat16(static_cast<float>(x));
      };
      const auto is = [&](std::uint32_t pair, real a, real b) {
        return same_bfloat16(pair & 0xffff, rounded(a)) && same_bfloat16(pair >> 16, rounded(b));
      };
      const Vec& half = 2 * i < lanes ? first : second;
      all_same = all_same && is(lane(across, i), first[i], second[i]) &&
                 is(lane(neighbors, i), half[2 * i % lanes], half[2 * i % lanes + 1]);
      real stored;
      store_pair(&stored, first[i], second[i]);
      all_same = all_same && is(lane(splat_pair(&stored), i), first[i], second[i]);
    }
    REQUIRE(all_same);
  }
}

TEST_CASE("bfloat16: sums of products of pairs, plain and by the CPU, are the exact ones") {
  const auto check = [](auto multiply, float s, std::uint32_t a, std::uint32_t b) {
    const float expected = bfloat16_exact::multiply_pair(a, b, s);
    const auto computed = static_cast<float>(
        multiply(in_all_lanes(a), in_all_lanes(b), splat(static_cast<real>(s)))[lanes - 1]);
    if (!same(computed, expected)) {
      INFO(std::hex << "s " << bits_of(s) << " a " << a << " b " << b << ": computed "
                    << bits_of(computed) << ", expected " << bits_of(expected));
      FAIL();
    }
  };
  const auto pair = [](std::uint32_t lowest) {
    return bfloat16_near(lowest) | bfloat16_near(lowest) << 16;
  };
  for (int i = 0; i < 300000; ++i) {
    const float s = float_near(120);  // of one magnitude: every rounding counts
    const std::uint32_t a = pair(120), b = pair(120);
    check(kernels::plain::multiply_pairs, s, a, b);
    check(kernels::multiply_pairs, s, a, b);
  }
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> special = {0.0f,     -0.0f,     1.0f,
                                -3.0f,    infinity,  -infinity,
                                0x1p127f, -0x1p127f, std::numeric_limits<float>::quiet_NaN()};
  const auto check_special = [&](auto multiply) {
    for (const float s : special)
      for (const float a : special)
        for (const float b : special)
          for (const float c : special)
            check(multiply, s, kernels::plain::pair_of(a, 1), kernels::plain::pair_of(b, c));
  };
  check_special(kernels::plain::multiply_pairs);
  if (!has_bfloat16_products()) return;
  // What only the instruction takes as 0.
  special.push_back(0x1p-127f);
  check_special(kernels::multiply_pairs);
  for (int i = 0; i < 300000; ++i) {
    // Sums around the least normal number, and all numbers there are, NaN among them.
    const float s = float_near(0);
    const std::uint32_t a = pair(60), b = pair(60);
    check(kernels::multiply_pairs, s, a, b);
    const float any = float_of(next_bits());
    const std::uint32_t any_a = next_bits(), any_b = next_bits();
    check(kernels::multiply_pairs, any, any_a, any_b);
  }
  // Sums that round to the least normal number, or just do not: 2^-126 - c 2^-151.
  for (const double c : {0.25, 0.5, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 4.0})
    for (const int shift : {0, 16})
      for (const float sign : {1.0f, -1.0f})
        check(kernels::multiply_pairs, sign * 0x1p-126f,
              kernels::plain::to_bfloat16(static_cast<float>(c * 0x1p-76)) << shift,
              kernels::plain::to_bfloat16(sign * -0x1p-75f) << shift);
}
