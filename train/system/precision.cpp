#include "train/system/precision.h"

#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/instruction_set.h"
#include "train/system/words.h"

namespace train {

namespace kernels = engine::kernels;

Cpu this_cpu() {
#if defined(__x86_64__) && !defined(__APPLE__)  // no Mac multiplies in AVX512-BF16
  return {kernels::has_bfloat16_products(), __builtin_cpu_is("amd") != 0,
          __builtin_cpu_is("cooperlake") != 0};
#else
  return {kernels::has_bfloat16_products(), false, false};
#endif
}

// Decided by family, not by measurement, so that a CPU always takes the same dtype. bfloat16 is
// twice as fast as float32 on AMD since Zen 4 (make bench-gemm) and, as published, on Intel's
// Cooper Lake; it is slower on Sapphire and Emerald Rapids, which split the instruction into
// several. Others are unknown.
ProductDtype resolved_dtype(ProductDtype dtype, const Cpu& cpu) {
  const bool faster = cpu.bfloat16_products && (cpu.amd || cpu.cooperlake);
  if (dtype != ProductDtype::automatic) return dtype;
  return faster ? ProductDtype::bfloat16 : ProductDtype::float32;
}

std::string missing_for_bfloat16() {
  if (kernels::has_bfloat16_products()) return "";
  return kernels::compiled_for_bfloat16 ? "this CPU has no AVX512-BF16"
                                        : "this program is built for a CPU without AVX512-BF16";
}

void use_dtype(ProductDtype dtype) {
  const bool bfloat16 = resolved_dtype(dtype) == ProductDtype::bfloat16;
  if (bfloat16) {
    const std::string missing = missing_for_bfloat16();
    check(missing.empty(), "dtype: bfloat16 is not possible here: ", missing);
  }
  kernels::set_product_precision(bfloat16 ? kernels::Precision::bfloat16
                                          : kernels::Precision::float32);
}

}  // namespace train
