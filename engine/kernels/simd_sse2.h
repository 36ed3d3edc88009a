// simd.h's operations by instructions of SSE2, which every x86-64 has.
#pragma once

#include <immintrin.h>

namespace engine::kernels {

// GCC compiles plain::max and min to a comparison and a blend when an argument is a constant.
inline Floats max(Floats a, Floats b) { return (Floats)_mm_max_ps((__m128)a, (__m128)b); }
inline Doubles max(Doubles a, Doubles b) { return (Doubles)_mm_max_pd((__m128d)a, (__m128d)b); }
inline Floats min(Floats a, Floats b) { return (Floats)_mm_min_ps((__m128)a, (__m128)b); }
inline Doubles min(Doubles a, Doubles b) { return (Doubles)_mm_min_pd((__m128d)a, (__m128d)b); }

using plain::fma;
using plain::ldexp;
using plain::load_part;
using plain::reciprocal;
using plain::sqrt;
using plain::store_part;

}  // namespace engine::kernels
