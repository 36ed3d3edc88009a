// Normal numbers in blocks of 16, as PyTorch's float kernels make them from uniform ones by Box
// and Muller's method: elements j and j + 8 of a block (j = 0..7) are a pair u1, u2,
//
//     radius = sqrt(-2 ln (1 - u1)),  theta = 2 pi u2
//     out[j] = radius cos(theta) deviation + mean,  out[j + 8] the same with sin(theta)
//
// It is float in every build, and every rounding is where PyTorch has it.
#pragma once

namespace engine::kernels {

inline constexpr int normal_block = 16;

// In place: 16 uniform numbers in [0, 1), multiples of 2^-24, become 16 normal ones.
// The kernel of machines with AVX2: polynomials for ln, sin and cos, and fused multiply-adds.
void box_muller(float* block, float mean, float deviation);
// The kernel of machines without: the C library's ln, sin and cos, every operation rounded. Exact
// with glibc; another library may round about 1 % of the values to the next float but one.
void box_muller_scalar(float* block, float mean, float deviation);

}  // namespace engine::kernels
