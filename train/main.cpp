// main. This file is compiled for the base instruction set. It first checks that the CPU can run
// the rest of the program, which is compiled for the machine it was built on. If not, it says so in
// one sentence instead of dying of an illegal instruction.

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "model/base/system.h"
#include "train/system/cpu_features.h"

namespace train {
int run(const std::vector<std::string>& words);  // train/program/program.cpp
}

namespace {

const char* missing_feature() {
#if defined(__x86_64__) && !defined(__APPLE__)  // zig for macOS has no __cpu_model
  using namespace train;
  __builtin_cpu_init();
  if ((compiled_for & avx2) && !__builtin_cpu_supports("avx2")) return "AVX2";
  if ((compiled_for & fma) && !__builtin_cpu_supports("fma")) return "FMA";
  if ((compiled_for & bmi2) && !__builtin_cpu_supports("bmi2")) return "BMI2";
  if ((compiled_for & avx512f) && !__builtin_cpu_supports("avx512f")) return "AVX-512F";
  if ((compiled_for & avx512bw) && !__builtin_cpu_supports("avx512bw")) return "AVX-512BW";
  if ((compiled_for & avx512dq) && !__builtin_cpu_supports("avx512dq")) return "AVX-512DQ";
  if ((compiled_for & avx512vl) && !__builtin_cpu_supports("avx512vl")) return "AVX-512VL";
#endif
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) try {
  if (const char* const feature = missing_feature()) {
    std::fprintf(stderr,
                 "gradus: built for a CPU with %s, which this one lacks; run make clean && make "
                 "here, or make ARCH=x86-64\n",
                 feature);
    return 1;
  }
  return train::run(model::system::arguments(argc, argv));
} catch (const std::bad_alloc&) {  // before there is a command that could say more
  std::fputs("gradus: out of memory while starting\n", stderr);
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "gradus: %s\n", error.what());
  return 1;
}
