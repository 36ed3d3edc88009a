// The functions of engine/kernels/vector_math.h beside what they should be, in double, and how
// far they may be off: shared by the unit test (a sample) and make torture-math (every float).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/kernels/vector_math.h"

namespace vector_math {

using engine::real;
namespace kernels = engine::kernels;

struct Case {
  const char* name;
  kernels::Vec (*function)(kernels::Vec);
  double (*exact)(double);
  double bound;   // largest error allowed
  bool absolute;  // error counted in units of max(1, |x|) instead of ulp
};

// The normal distribution, from the gate of gelu.
inline kernels::Vec normal_cdf(kernels::Vec x) {
  const kernels::Vec zero{}, tail = kernels::normal_gate(x).tail;
  return kernels::select(x > zero, 1 - tail, tail);
}
inline kernels::Vec normal_pdf(kernels::Vec x) { return kernels::normal_gate(x).slope; }

inline double exact_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
inline double exact_pdf(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }
inline double exact_sigmoid(double x) {
  return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
// (1 + tanh u)/2 = sigmoid(2 u), which keeps its digits where tanh u is near -1.
inline double gelu_tanh_gate(double x) {
  return exact_sigmoid(2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x));
}
inline double gelu_tanh_slope(double x) {
  return 2 * std::sqrt(2 / std::acos(-1.0)) * (1 + 3 * 0.044715 * x * x);
}
// 0 inf, at the far ends, is 0 here.
inline double product(double zero, double x) { return zero == 0 ? 0 : zero * x; }

// The activations: 4e-7 is the bound for gelu; the others keep it too.
inline constexpr Case cases[] = {
    {"exp", kernels::exp, [](double x) { return std::exp(x); }, 2, false},
    {"log", kernels::log, [](double x) { return std::log(x); }, 2, false},
    {"tanh", kernels::tanh, [](double x) { return std::tanh(x); }, 3, false},
    {"erf", kernels::erf, [](double x) { return std::erf(x); }, 2, false},
    {"sigmoid", kernels::sigmoid, exact_sigmoid, 2, false},
    {"normal_cdf", normal_cdf, exact_cdf, 4e-7, true},
    {"normal_pdf", normal_pdf, exact_pdf, 4e-7, true},
    {"gelu", kernels::gelu, [](double x) { return product(exact_cdf(x), x); }, 4e-7, true},
    {"gelu_derivative", kernels::gelu_derivative,
     [](double x) { return exact_cdf(x) + product(exact_pdf(x), x); }, 4e-7, true},
    {"gelu_tanh", kernels::gelu_tanh, [](double x) { return product(gelu_tanh_gate(x), x); }, 4e-7,
     true},
    {"gelu_tanh_derivative", kernels::gelu_tanh_derivative,
     [](double x) {
       const double g = gelu_tanh_gate(x);
       return g + product(g * gelu_tanh_gate(-x), x * gelu_tanh_slope(x));
     },
     4e-7, true},
    {"silu", kernels::silu, [](double x) { return product(exact_sigmoid(x), x); }, 4e-7, true},
    {"silu_derivative", kernels::silu_derivative,
     [](double x) {
       const double s = exact_sigmoid(x);
       return s + product(s * exact_sigmoid(-x), x);
     },
     4e-7, true},
};

// |y - exact| in ulp: the distance between the two floats around the exact value (for the largest
// ones as if the exponent went on, so that inf counts as 2^128). Infinite where just one is NaN.
inline double error(const Case& c, real x, real y) {
  double exact = c.exact(double(x)), got = double(y);
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : std::numeric_limits<double>::infinity();
  if (exact == got) return 0;
  if (c.absolute) return std::abs(got - exact) / std::max(1.0, std::abs(double(x)));
  constexpr int digits = std::numeric_limits<real>::digits;
  constexpr int lowest = std::numeric_limits<real>::min_exponent - digits;
  constexpr int largest = std::numeric_limits<real>::max_exponent;
  if (std::isinf(got)) got = std::copysign(std::ldexp(1.0, largest), got);
  if (std::abs(exact) > std::ldexp(1.0, largest))
    exact = std::copysign(std::ldexp(1.0, largest), exact);
  const int exponent = exact == 0 ? lowest : std::min(std::ilogb(exact) + 1, largest) - digits;
  return std::abs(got - exact) / std::ldexp(1.0, std::max(exponent, lowest));
}

}  // namespace vector_math
