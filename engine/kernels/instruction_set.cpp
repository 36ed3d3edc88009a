#include "engine/kernels/instruction_set.h"

namespace engine::kernels {

bool has_bfloat16_products() {
#if defined(__x86_64__)
  return compiled_for_bfloat16 && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

void link_with_objects_built_for_vectors(std::integral_constant<int, vector_bytes>) {}

}  // namespace engine::kernels
