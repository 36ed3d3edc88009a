// exp, log, tanh, erf and sigmoid of all lanes at once, and the activations built from them.
//
// Each function reduces its argument to a short interval and evaluates a polynomial there, without
// branches. The polynomials are minimax fits by Remez' exchange algorithm in 40-digit arithmetic;
// coefficients are rounded to float one by one, lowest power first, and the others fitted again
// after each. "Fit" below is the error of the rounded polynomial in exact arithmetic; half an ulp
// is between 3.0e-8 and 6.0e-8. Largest errors over all 2^32 floats, in ulp, with AVX-512 (measured
// by make torture-math, with those of the activations):
//
//     exp 0.90    log 0.97    tanh 1.37    erf 1.12    sigmoid 1.65
//
// Overflow gives inf, underflow subnormals and 0, NaN stays NaN. All this holds for the float
// build; the double build calls the standard library lane by lane.
#pragma once

#include <cmath>
#include <limits>

#include "engine/kernels/simd.h"

namespace engine::kernels {

// c0 + x (c1 + x (c2 + ...)), one fma a term.
template <class... Rest>
inline Vec polynomial(Vec x, double c0, Rest... rest) {
  if constexpr (sizeof...(rest) == 0)
    return splat(c0);
  else
    return fma(x, polynomial(x, rest...), splat(c0));
}

namespace detail {
// exp for -105 <= x <= 90: x = n ln 2 + r with |r| <= ln(2)/2, and exp(x) = 2^n exp(r),
//     exp(r) = 1 + r + r^2 q(r)        q of degree 4, fit 3.2e-9 relative to exp(r)
// Adding and subtracting 1.5 2^23 rounds to an integer. ln 2 is the sum of two parts, the first of
// 15 bits, so that its product with n is exact.
inline Vec exp_in_range(Vec x) {
  const Vec shift = splat(12582912);
  const Vec n = fma(x, splat(1.4426950408889634), shift) - shift;
  Vec r = fma(n, splat(-0x1.62e4p-1), x);
  r = fma(n, splat(-0x1.7f7d1cp-20), r);
  const Vec q =
      polynomial(r, 0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123da6p-7, 0x1.6ac13ap-10);
  return ldexp(fma(fma(r, q, splat(1)), r, splat(1)), n);
}
}  // namespace detail

inline Vec exp(Vec x) {
  if constexpr (!is_float) return per_lane([](real v) { return std::exp(v); }, x);
  // exp(90) exceeds the largest float, exp(-105) is below half the smallest. min and max return
  // their second argument if it is NaN.
  return detail::exp_in_range(max(splat(-105), min(splat(90), x)));
}

// x = 2^k m with sqrt(1/2) <= m < sqrt(2), f = m - 1:
//     log(x) = k ln 2 + f - f^2/2 + f^3 p(f)        p of degree 7, fit 1.6e-8 relative to log(m)
inline Vec log(Vec x) {
  if constexpr (!is_float) return per_lane([](real v) { return std::log(v); }, x);
  const Vec infinity = splat(std::numeric_limits<real>::infinity());
  const Vec t = abs(x);
  const IntVec subnormal = t < splat(std::numeric_limits<real>::min());
  const IntVec bits = as_bits(select(subnormal, t * splat(0x1p23), t));
  const IntVec k = (bits - splat_bits(0x3f3504f3)) >> 23;  // 3f3504f3: sqrt(1/2)
  const Vec f = from_bits(bits - (k << 23)) - splat(1);
  const Vec n = to_real(k - (subnormal & splat_bits(23)));
  const Vec p = polynomial(f, 0x1.555554p-2, -0x1.000228p-2, 0x1.99a036p-3, -0x1.54719p-3,
                           0x1.22d422p-3, -0x1.0d859ap-3, 0x1.05afp-3, -0x1.39c89p-4);
  const Vec ff = f * f;
  Vec small = fma(ff * f, p, n * splat(-0x1.bd0106p-13));  // low part of ln 2
  small = fma(ff, splat(-0.5), small);
  const Vec y = fma(n, splat(0x1.63p-1), f + small);
  const Vec special =
      select(x == splat(0), -infinity,
             select(x < splat(0), splat(std::numeric_limits<real>::quiet_NaN()), x));
  return select((x > splat(0)) & (x < infinity), y, special);
}

// With t = |x|; the result gets the sign of x:
//     t < 0.625:  t + t^3 p(t^2)                  p of degree 4, fit 4.5e-9 relative
//     else:       1 - 2 / (exp(2 t) + 1)
inline Vec tanh(Vec x) {
  if constexpr (!is_float) return per_lane([](real v) { return std::tanh(v); }, x);
  const Vec t = abs(x), tt = t * t;
  const Vec p =
      polynomial(tt, -0x1.555532p-2, 0x1.1106f6p-3, -0x1.b835a4p-5, 0x1.51f8cep-6, -0x1.750ce2p-8);
  const Vec near = fma(t, tt * p, t);
  const Vec far = splat(1) - splat(2) / (exp(t + t) + splat(1));
  return copy_sign(select(t < splat(0.625), near, far), x);
}

// With t = |x|; the result gets the sign of x:
//     t < 0.875:  t + t p(t^2)                    p of degree 5, fit 1.4e-8 relative
//     else:       1 - exp(q(t))
// q approximates log(1 - erf) on [0.875, 4] with degree 6, fit 1.9e-9 in erf; erf(4) rounds to 1.
inline Vec erf(Vec x) {
  if constexpr (!is_float) return per_lane([](real v) { return std::erf(v); }, x);
  const Vec t = min(splat(4), abs(x));
  const Vec p = polynomial(t * t, 0x1.06eba6p-3, -0x1.8126ecp-2, 0x1.ce1b86p-4, -0x1.b69b8ep-6,
                           0x1.479c1ap-8, -0x1.3ba5c4p-11);
  const Vec q = polynomial(t, -0x1.2e6fe6p-13, -0x1.20bd5cp+0, -0x1.460d5ap-1, -0x1.ab024ep-4,
                           0x1.6eb0eep-6, -0x1.93f6bap-9, 0x1.a33928p-13);
  const Vec far = splat(1) - detail::exp_in_range(q);
  return copy_sign(select(t < splat(0.875), fma(t, p, t), far), x);
}

// 1 / (1 + exp(-x)). With e = exp(-|x|), which cannot overflow, and q = e / (1 + e) =
// sigmoid(-|x|): 1 - q for x >= 0; q for x < 0, computed as e - e q, which multiplies the error of
// q by e.
inline Vec sigmoid(Vec x) {
  const Vec one = splat(1), e = exp(-abs(x)), q = e / (one + e);
  const Vec n = select(x < splat(0), e, one);
  return fma(-n, q, n);
}

// --- activations -------------------------------------------------------------------------------
// gelu, gelu_tanh and silu are y = x G(x), where G rises from 0 to 1 and G(-x) = 1 - G(x).
// With t = |x|, tail = G(-t) and slope = G'(t) = G'(-t),
//
//     y  = max(x, 0) - t tail
//     y' = d for x <= 0, 1 - d for x > 0,  d = tail - t slope
//
// This loses no digits where G is close to 1. Clamping t at a value where tail and slope are 0
// gives the limits at -inf and inf without special cases.
struct Gate {
  Vec t, tail, slope;
};

inline Vec gated(Vec x, Gate g) { return max(splat(0), x) - g.t * g.tail; }
inline Vec gated_derivative(Vec x, Gate g) {
  const Vec d = g.tail - g.t * g.slope;
  return select(x > splat(0), splat(1) - d, d);
}

// G = Phi, the normal distribution function: Phi' = phi, its density exp(-t^2/2) / sqrt(2 pi).
// The tail is Phi(-t) = exp(-t^2/2) s p(s) with s = 1 / (1 + 0.275 t), as in Abramowitz and
// Stegun 7.1.26; p of degree 5, fit 8.2e-9 in Phi.
inline Gate normal_gate(Vec x) {
  const Vec t = min(splat(is_float ? 15 : 40), abs(x));
  const Vec e = exp(t * t * splat(-0.5));
  const Vec slope = e * splat(0.3989422804014327);
  if constexpr (!is_float)
    return {t, per_lane([](real v) { return 0.5 * std::erfc(v * 0.7071067811865476); }, t), slope};
  const Vec s = reciprocal(fma(t, splat(0.275), splat(1)));
  const Vec p = polynomial(s, 0x1.e21782p-4, 0x1.5e9052p-5, 0x1.543df2p-2, -0x1.50de72p-2,
                           0x1.cd9962p-2, -0x1.d54332p-4);
  return {t, e * (s * p), slope};
}

// x Phi(x), within 1.1e-7 max(1, |x|).
inline Vec gelu(Vec x) { return gated(x, normal_gate(x)); }
inline Vec gelu_derivative(Vec x) { return gated_derivative(x, normal_gate(x)); }

// x (1 + tanh u)/2 with u = sqrt(2/pi) (x + 0.044715 x^3); (1 + tanh u)/2 = sigmoid(2 u), so
//     tail = 1 / (1 + exp(2 u(t))),  slope = tail (1 - tail) 2 u'(t)
inline Gate gelu_tanh_gate(Vec x) {
  const Vec t = min(splat(25), abs(x)), tt = t * t;
  const Vec a = splat(1.5957691216057308);  // 2 sqrt(2/pi)
  const Vec b = splat(1.5957691216057308 * 0.044715);
  const Vec tail = splat(1) / (splat(1) + exp(t * fma(b, tt, a)));
  return {t, tail, tail * (splat(1) - tail) * fma(splat(3) * b, tt, a)};
}
inline Vec gelu_tanh(Vec x) { return gated(x, gelu_tanh_gate(x)); }
inline Vec gelu_tanh_derivative(Vec x) { return gated_derivative(x, gelu_tanh_gate(x)); }

// x sigmoid(x)
inline Gate silu_gate(Vec x) {
  const Vec t = min(splat(800), abs(x));
  const Vec tail = splat(1) / (splat(1) + exp(t));
  return {t, tail, tail * (splat(1) - tail)};
}
inline Vec silu(Vec x) { return gated(x, silu_gate(x)); }
inline Vec silu_derivative(Vec x) { return gated_derivative(x, silu_gate(x)); }

// max(x, 0)^2 and its derivative 2 max(x, 0); NaN stays NaN.
inline Vec relu2(Vec x) { return select(x <= 0, Vec{}, x * x); }
inline Vec relu2_derivative(Vec x) { return select(x <= 0, Vec{}, 2 * x); }

}  // namespace engine::kernels
