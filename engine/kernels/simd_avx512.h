// simd.h's operations by instructions of AVX-512. (Masked forms, with a mask of ones, where GCC
// warns of an uninitialized operand in the others.)
#pragma once

#include <immintrin.h>

namespace engine::kernels {

inline Floats load_part(const float* from, Index n) {
  return (Floats)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from);
}
inline Doubles load_part(const double* from, Index n) {
  return (Doubles)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), from);
}
inline void store_part(float* to, Floats v, Index n) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
}
inline void store_part(double* to, Doubles v, Index n) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), (__m512d)v);
}

inline Floats fma(Floats a, Floats b, Floats c) {
  return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
  return (Doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

inline Floats max(Floats a, Floats b) {
  return (Floats)_mm512_maskz_max_ps(0xffff, (__m512)a, (__m512)b);
}
inline Doubles max(Doubles a, Doubles b) {
  return (Doubles)_mm512_maskz_max_pd(0xff, (__m512d)a, (__m512d)b);
}
inline Floats min(Floats a, Floats b) {
  return (Floats)_mm512_maskz_min_ps(0xffff, (__m512)a, (__m512)b);
}
inline Doubles min(Doubles a, Doubles b) {
  return (Doubles)_mm512_maskz_min_pd(0xff, (__m512d)a, (__m512d)b);
}

inline Floats sqrt(Floats v) { return (Floats)_mm512_maskz_sqrt_ps(0xffff, (__m512)v); }
inline Doubles sqrt(Doubles v) { return (Doubles)_mm512_maskz_sqrt_pd(0xff, (__m512d)v); }

// An estimate of 14 bits and one Newton step, 4 cycles instead of 16 for a division.
inline Floats reciprocal(Floats v) {
  const Floats r = (Floats)_mm512_maskz_rcp14_ps(0xffff, (__m512)v);
  return fma(r, fma(-v, r, 1 - Floats{}), r);
}
inline Doubles reciprocal(Doubles v) { return 1 / v; }

inline Floats ldexp(Floats v, Floats n) {
  return (Floats)_mm512_maskz_scalef_ps(0xffff, (__m512)v, (__m512)n);
}
inline Doubles ldexp(Doubles v, Doubles n) {
  return (Doubles)_mm512_maskz_scalef_pd(0xff, (__m512d)v, (__m512d)n);
}

}  // namespace engine::kernels
