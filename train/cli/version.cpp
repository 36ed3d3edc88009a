#include "train/cli/version.h"

#include "engine/kernels/simd.h"
#include "train/system/words.h"

#ifndef GRADUS_VERSION  // the Makefile defines both
#define GRADUS_VERSION "unknown"
#define GRADUS_COMMIT "unknown"
#endif

namespace train {

std::string version_text() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return joined("gradus " GRADUS_VERSION ", commit " GRADUS_COMMIT ", ", compiler, ", ",
                engine::kernels::instruction_set, ", ",
                engine::kernels::is_float ? "float" : "double", "\n");
}

}  // namespace train
