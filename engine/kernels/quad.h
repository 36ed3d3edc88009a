// Four floats, on every target and in every build: for random numbers, which are float even where
// real is double.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace engine::kernels {

typedef float Quad __attribute__((vector_size(16)));
typedef std::int32_t IntQuad __attribute__((vector_size(16)));

inline Quad quad_load(const float* from) {
  Quad v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void quad_store(float* to, Quad v) { std::memcpy(to, &v, sizeof v); }

// a b + c with one rounding.
inline Quad quad_fma(Quad a, Quad b, Quad c) {
#if defined(__FMA__)
  return (Quad)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__aarch64__)
  return (Quad)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
  for (int i = 0; i < 4; ++i) c[i] = std::fma(a[i], b[i], c[i]);
  return c;
#endif
}
inline Quad quad_sqrt(Quad v) {
#if defined(__x86_64__)
  return (Quad)_mm_sqrt_ps((__m128)v);
#elif defined(__aarch64__)
  return (Quad)vsqrtq_f32((float32x4_t)v);
#else
  for (int i = 0; i < 4; ++i) v[i] = std::sqrt(v[i]);
  return v;
#endif
}

}  // namespace engine::kernels
