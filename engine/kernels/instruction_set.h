// The instruction set that this build is for, decided by the compiler's target (ARCH in the
// Makefile).
#pragma once

#include <type_traits>

#include "engine/base/real.h"

namespace engine::kernels {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64, vector_registers = 32;
inline constexpr const char* instruction_set = "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr int vector_bytes = 32, vector_registers = 16;
inline constexpr const char* instruction_set = "AVX2";
#elif defined(__aarch64__)
inline constexpr int vector_bytes = 16, vector_registers = 32;
inline constexpr const char* instruction_set = "NEON";
#elif defined(__wasm_simd128__)  // on x86 a browser keeps one of 16 registers for itself
inline constexpr int vector_bytes = 16, vector_registers = 15;
inline constexpr const char* instruction_set = "WebAssembly SIMD";
#else
inline constexpr int vector_bytes = 16, vector_registers = 16;
inline constexpr const char* instruction_set = "SSE2";
#endif

// WebAssembly cannot prefetch: asking for lines would be computing addresses for nothing.
#if defined(__wasm_simd128__)
inline constexpr bool can_prefetch = false;
#else
inline constexpr bool can_prefetch = true;
#endif

// Sums of products of pairs of bfloat16 (engine/kernels/bfloat16.h) in one instruction.
#if defined(__AVX512BF16__)
inline constexpr bool compiled_for_bfloat16 = sizeof(real) == 4;
#else
inline constexpr bool compiled_for_bfloat16 = false;
#endif
// Whether this build uses the instruction and this CPU has it.
bool has_bfloat16_products();

// Like link_with_objects_built_for (engine/base/real.h), for the width of vectors: a program and a
// library built for different instruction sets do not link.
void link_with_objects_built_for_vectors(std::integral_constant<int, vector_bytes> bytes);
[[gnu::used]] static void (*const linked_for_vectors)(std::integral_constant<int, vector_bytes>) =
    link_with_objects_built_for_vectors;

}  // namespace engine::kernels
