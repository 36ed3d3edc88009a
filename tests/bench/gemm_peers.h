// The libraries gemm is measured against, where they are installed: OpenBLAS and oneDNN, opened
// at run time, each told which instruction set to use so that neither guesses low.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/simd.h"

namespace bench {

using engine::kernels::MatrixView;
using engine::kernels::MutableMatrixView;

// A library's gemm. c, and a and b or their transposes, must be row-major.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  // For the products that the calling thread asks for from now on.
  virtual void set_threads(int threads) = 0;
  virtual void multiply(MatrixView a, MatrixView b, MutableMatrixView c) = 0;
};

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

inline bool is_transposed(MatrixView v) { return v.col_stride != 1; }
inline engine::Index leading(MatrixView v) {
  return is_transposed(v) ? v.col_stride : v.row_stride;
}

class OpenBlas : public Peer {
 public:
  explicit OpenBlas(void* library)
      : gemm_(symbol<Gemm>(library, engine::kernels::is_float ? "cblas_sgemm" : "cblas_dgemm")),
        threads_(symbol<void (*)(int)>(library, "openblas_set_num_threads")),
        core_(symbol<char* (*)()>(library, "openblas_get_corename")()) {}
  std::string name() const override { return "OpenBLAS " + core_; }
  void set_threads(int threads) override { threads_(threads); }
  void multiply(MatrixView a, MatrixView b, MutableMatrixView c) override {
    constexpr int row_major = 101, plain = 111, transposed = 112;
    gemm_(row_major, is_transposed(a) ? transposed : plain, is_transposed(b) ? transposed : plain,
          int(c.rows), int(c.cols), int(a.cols), 1, a.data, int(leading(a)), b.data,
          int(leading(b)), 0, c.data, int(c.row_stride));
  }

 private:
  using real = engine::real;
  using Gemm = void (*)(int, int, int, int, int, int, real, const real*, int, const real*, int,
                        real, real*, int);
  Gemm gemm_;
  void (*threads_)(int);
  std::string core_;
};

class OneDnn : public Peer {  // float only
 public:
  explicit OneDnn(void* library)
      : gemm_(symbol<Gemm>(library, "dnnl_sgemm")),
        threads_(symbol<void (*)(int)>(library, "omp_set_num_threads")) {}
  std::string name() const override { return "oneDNN"; }
  void set_threads(int threads) override { threads_(threads); }
  void multiply(MatrixView a, MatrixView b, MutableMatrixView c) override {
    gemm_(is_transposed(a) ? 'T' : 'N', is_transposed(b) ? 'T' : 'N', c.rows, c.cols, a.cols, 1,
          a.data, leading(a), b.data, leading(b), 0, c.data, c.row_stride);
  }

 private:
  using Gemm = int (*)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const void*,
                       std::int64_t, const void*, std::int64_t, float, void*, std::int64_t);
  Gemm gemm_;
  void (*threads_)(int);
};

inline std::vector<std::unique_ptr<Peer>> installed_peers() {
  // They read the environment while they are loaded.
  for (const char* name : {"OPENBLAS_L2_SIZE", "NVPL_BLAS_DEBUG_CPU_TYPE", "OMP_WAIT_POLICY"})
    unsetenv(name);
  unsetenv("OPENBLAS_CORETYPE");
#if defined(__x86_64__)
  constexpr bool wide = engine::kernels::vector_bytes == 64;
  setenv("OPENBLAS_CORETYPE", wide ? "SkylakeX" : "Haswell", 1);
  if (!wide) setenv("DNNL_MAX_CPU_ISA", "AVX2", 1);
#endif
  std::vector<std::unique_ptr<Peer>> peers;
  if (void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL))
    peers.push_back(std::make_unique<OpenBlas>(library));
  if (engine::kernels::is_float)
    if (void* library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL))
      peers.push_back(std::make_unique<OneDnn>(library));
  return peers;
}

}  // namespace bench
