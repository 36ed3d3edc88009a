// The precision of matrix products that --dtype asks for (engine/kernels/gemm/gemm.h).
#pragma once

#include <string>

namespace train {

// What --dtype auto depends on.
struct Cpu {
  bool bfloat16_products;  // it has the instruction, and this build uses it
  bool amd, cooperlake;
};
Cpu this_cpu();

// "float32" or "bfloat16", for "auto" the faster on CPUs of this family.
std::string settled_dtype(const std::string& dtype, const Cpu& cpu = this_cpu());

// Multiplies in it from now on. Throws engine::Error if that is bfloat16 and this CPU has no
// instruction for it, or this build does not use it.
void use_dtype(const std::string& dtype);

// What --dtype bfloat16 needs, where it is missing; else empty.
std::string missing_for_bfloat16();

}  // namespace train
