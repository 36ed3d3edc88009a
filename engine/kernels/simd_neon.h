// simd.h's operations by instructions of NEON, which every AArch64 has.
#pragma once

#include <arm_neon.h>

namespace engine::kernels {

inline Floats fma(Floats a, Floats b, Floats c) {
  return (Floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
  return (Doubles)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}

inline Floats sqrt(Floats v) { return (Floats)vsqrtq_f32((float32x4_t)v); }
inline Doubles sqrt(Doubles v) { return (Doubles)vsqrtq_f64((float64x2_t)v); }

using plain::ldexp;
using plain::load_part;
using plain::max;
using plain::min;
using plain::reciprocal;
using plain::store_part;

}  // namespace engine::kernels
