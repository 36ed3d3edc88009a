// The precision of matrix products for --dtype (engine/kernels/gemm/gemm.h).
#pragma once

#include <string>

#include "engine/base/names.h"

namespace train {

// How matrix products are computed.
enum class ProductDtype { float32, bfloat16, automatic };

// What --dtype auto depends on.
struct Cpu {
  bool bfloat16_products;  // it has the instruction, and this build uses it
  bool amd, cooperlake;
};
Cpu this_cpu();

// float32 or bfloat16; for `automatic`, the faster one on CPUs of this family.
ProductDtype resolved_dtype(ProductDtype dtype, const Cpu& cpu = this_cpu());

// Sets it for all products from now on. Throws Error if it is bfloat16 and this CPU has no
// instruction for it, or this build does not use it.
void use_dtype(ProductDtype dtype);

// What is missing for --dtype bfloat16; empty if nothing.
std::string missing_for_bfloat16();

}  // namespace train

template <>
inline constexpr auto engine::names_of<train::ProductDtype> = engine::names("float32", "bfloat16",
                                                                            "auto");
