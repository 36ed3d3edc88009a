#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tests/catch.h"
#include "tests/vector_math_cases.h"

using engine::Index;
using engine::real;
using engine::kernels::is_float;
using engine::kernels::lanes;
using engine::kernels::Vec;

namespace {

real at(Vec (*f)(Vec), real x) { return f(engine::kernels::splat(x))[lanes - 1]; }

constexpr real infinity = std::numeric_limits<real>::infinity();
constexpr real not_a_number = std::numeric_limits<real>::quiet_NaN();
constexpr real smallest = std::numeric_limits<real>::denorm_min();
constexpr real largest = std::numeric_limits<real>::max();

}  // namespace

// Two million floats a function, spread evenly over the bit patterns: a stride of an odd number of
// floats, so that every exponent, both signs and all kinds of fractions come up.
TEST_CASE("vector math is within its bounds over all floats") {
  for (const vector_math::Case& c : vector_math::cases) {
    double worst = 0;
    real worst_at = 0;
    const Index stride = 6007;  // make torture-math tries every float
    for (Index bits = 0; bits < Index(1) << 32; bits += stride * lanes) {
      real x[lanes], y[lanes];
      for (int j = 0; j < lanes; ++j)
        x[j] = real(std::bit_cast<float>(std::uint32_t(bits + j * stride)));
      engine::kernels::store(y, c.function(engine::kernels::load(x)));
      for (int j = 0; j < lanes; ++j)
        if (const double error = vector_math::error(c, x[j], y[j]); error > worst)
          worst = error, worst_at = x[j];
    }
    INFO(c.name << ": error " << worst << (c.absolute ? " max(1, |x|)" : " ulp")
                << " at x = " << worst_at << ", at most " << c.bound << " is allowed");
    CHECK(worst <= c.bound);
  }
}

TEST_CASE("vector math at the ends of the range") {
  for (const vector_math::Case& c : vector_math::cases) {
    INFO(c.name);
    CHECK(std::isnan(at(c.function, not_a_number)));
    CHECK(std::isnan(at(c.function, -not_a_number)));
    for (const real x : {real(0), real(-0.0), smallest, -smallest, std::numeric_limits<real>::min(),
                         largest, -largest, infinity, -infinity}) {
      INFO("x = " << x);
      CHECK(vector_math::error(c, x, at(c.function, x)) <= c.bound);
    }
  }
}

TEST_CASE("odd functions keep the sign of zero") {
  for (Vec (*f)(Vec) : {engine::kernels::tanh, engine::kernels::erf}) {
    CHECK(at(f, real(-0.0)) == 0);
    CHECK(std::signbit(at(f, real(-0.0))));
    CHECK_FALSE(std::signbit(at(f, 0)));
  }
}

TEST_CASE("activations are 0 at minus infinity") {
  using namespace engine::kernels;
  for (Vec (*f)(Vec) : {gelu, gelu_tanh, silu}) CHECK(at(f, -infinity) == 0);
}

// A lane's result depends on its own argument only, so a padded tail gives the same bits.
TEST_CASE("vector math treats every lane alike") {
  real x[lanes];
  for (int j = 0; j < lanes; ++j) x[j] = real(0.37) * real(j - lanes / 2);
  for (const vector_math::Case& c : vector_math::cases) {
    const Vec y = c.function(engine::kernels::load(x));
    for (int j = 0; j < lanes; ++j) {
      const real y_j = y[j], alone = at(c.function, x[j]);
      INFO(c.name << "(" << x[j] << ") is " << y_j << " in lane " << j << ", " << alone
                  << " alone");
      CHECK(std::memcmp(&y_j, &alone, sizeof(real)) == 0);
    }
  }
}
