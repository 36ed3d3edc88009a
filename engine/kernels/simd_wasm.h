// simd.h's operations in WebAssembly, for browsers.
#pragma once

namespace engine::kernels {

// As plain::ldexp. A browser compiles that one's conversion to integers to eight instructions,
// since it says what becomes of numbers beyond them. Adding 1.5 2^23 leaves the integer n in the
// low bits of the sum.
inline Floats ldexp(Floats v, Floats n) {
  const IntVec bias = splat_bits(127), shift = splat_bits(0x4b400000);
  const IntVec k = as_bits(n + from_bits(shift)) - shift, half = k >> 1;
  return v * from_bits((half + bias) << 23) * from_bits((k - half + bias) << 23);
}

using plain::fma;
using plain::load_part;
using plain::max;
using plain::min;
using plain::reciprocal;
using plain::sqrt;
using plain::store_part;

}  // namespace engine::kernels
