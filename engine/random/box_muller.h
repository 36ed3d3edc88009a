// Normal numbers in blocks of 16 by Box and Muller's method, with the bits of PyTorch's float
// kernel for AVX2. Elements j and j + 8 of a block (j = 0..7) are a pair u1, u2 of uniform numbers:
//
//     radius = sqrt(-2 ln (1 - u1)),  theta = 2 pi u2
//     out[j] = radius cos(theta) deviation + mean,  out[j + 8] the same with sin(theta)
//
// Polynomials for ln, sin and cos, and fused multiply-adds, in float in every build.
#pragma once

namespace engine::kernels {

inline constexpr int normal_block = 16;

// In place: 16 uniform numbers in [0, 1), multiples of 2^-24, become 16 normal ones.
void box_muller(float* block, float mean, float deviation);

}  // namespace engine::kernels
