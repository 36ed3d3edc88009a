// simd.h's operations by instructions of AVX2 and FMA.
#pragma once

#include <immintrin.h>

namespace engine::kernels {

inline Floats load_part(const float* from, Index n) {
  return (Floats)_mm256_maskload_ps(from, (__m256i)first_lanes(n));
}
inline Doubles load_part(const double* from, Index n) {
  return (Doubles)_mm256_maskload_pd(from, (__m256i)first_lanes(n));
}
using plain::store_part;  // masked stores take tens of cycles on some CPUs

inline Floats fma(Floats a, Floats b, Floats c) {
  return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
  return (Doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

// GCC compiles plain::max and min to a comparison and a blend when an argument is a constant.
inline Floats max(Floats a, Floats b) { return (Floats)_mm256_max_ps((__m256)a, (__m256)b); }
inline Doubles max(Doubles a, Doubles b) { return (Doubles)_mm256_max_pd((__m256d)a, (__m256d)b); }
inline Floats min(Floats a, Floats b) { return (Floats)_mm256_min_ps((__m256)a, (__m256)b); }
inline Doubles min(Doubles a, Doubles b) { return (Doubles)_mm256_min_pd((__m256d)a, (__m256d)b); }

inline Floats sqrt(Floats v) { return (Floats)_mm256_sqrt_ps((__m256)v); }
inline Doubles sqrt(Doubles v) { return (Doubles)_mm256_sqrt_pd((__m256d)v); }

using plain::ldexp;
using plain::reciprocal;

}  // namespace engine::kernels
