#include "train/program/version.h"

#include "engine/base/text.h"
#include "engine/kernels/simd.h"

#ifndef GRADUS_COMMIT  // the Makefile defines it
#define GRADUS_COMMIT "unknown"
#endif

namespace train {

std::string version_text() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
#if defined(__AVX512F__)
  const char* const instructions = "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  const char* const instructions = "AVX2";
#elif defined(__aarch64__)
  const char* const instructions = "NEON";
#else
  const char* const instructions = "SSE2";
#endif
  return engine::joined("gradus, commit " GRADUS_COMMIT ", ", compiler, ", ", instructions, ", ",
                        engine::kernels::is_float ? "float" : "double", "\n");
}

}  // namespace train
