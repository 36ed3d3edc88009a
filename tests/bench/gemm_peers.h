// The libraries gemm is measured against, where they are installed: OpenBLAS and oneDNN, opened
// at run time. Each is told which instruction set to use, since both may choose too low a one.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/thread_pool.h"
#include "engine/kernels/bfloat16.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/simd.h"

namespace bench {

using engine::kernels::MatrixView;
using engine::kernels::MutableMatrixView;

// One product: c, and a and b or their transposes, are row-major. The rounded values of a and b, in
// the same order, for products in bfloat16.
struct Task {
  MatrixView a, b;
  MutableMatrixView c;
  std::uint16_t *a_rounded, *b_rounded;
};

// A library's gemm.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  // For all later products of the calling thread.
  virtual void set_threads(int threads) = 0;
  virtual void multiply(const Task& task) = 0;
};

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

inline bool is_transposed(MatrixView v) { return v.col_stride != 1; }
inline engine::Index leading(MatrixView v) {
  return is_transposed(v) ? v.col_stride : v.row_stride;
}

// to[i] = from[i] rounded, on all threads.
inline void round_all(const engine::real* from, engine::Index n, std::uint16_t* to) {
  using namespace engine::kernels;
  constexpr engine::Index step = 2 * lanes;
  engine::parallel_for(n / step, 4096, [&](engine::Index begin, engine::Index end) {
    for (engine::Index i = begin * step; i < end * step; i += step) {
      const Pairs pairs = pairs_of_neighbors(load(from + i), load(from + i + lanes));
      std::memcpy(to + i, &pairs, sizeof pairs);
    }
  });
  for (engine::Index i = n / step * step; i < n; ++i)
    to[i] = static_cast<std::uint16_t>(plain::to_bfloat16(static_cast<float>(from[i])));
}

class OpenBlas : public Peer {
 public:
  explicit OpenBlas(void* library)
      : gemm_(symbol<Gemm>(library, engine::kernels::is_float ? "cblas_sgemm" : "cblas_dgemm")),
        threads_(symbol<void (*)(int)>(library, "openblas_set_num_threads")),
        core_(symbol<char* (*)()>(library, "openblas_get_corename")()) {}
  std::string name() const override { return "OpenBLAS " + core_; }
  void set_threads(int threads) override { threads_(threads); }
  void multiply(const Task& task) override {
    const auto& [a, b, c, unused_a, unused_b] = task;
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
  void multiply(const Task& task) override {
    const auto& [a, b, c, unused_a, unused_b] = task;
    gemm_(is_transposed(a) ? 'T' : 'N', is_transposed(b) ? 'T' : 'N', c.rows, c.cols, a.cols, 1,
          a.data, leading(a), b.data, leading(b), 0, c.data, c.row_stride);
  }

 private:
  using Gemm = int (*)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const void*,
                       std::int64_t, const void*, std::int64_t, float, void*, std::int64_t);
  Gemm gemm_;
  void (*threads_)(int);
};

// oneDNN's product of factors that are bfloat16 already; or, as for float32 tensors under PyTorch's
// autocast, rounded first.
class OneDnnBfloat16 : public Peer {
 public:
  OneDnnBfloat16(void* library, bool rounds)
      : gemm_(symbol<Gemm>(library, "dnnl_gemm_bf16bf16f32")),
        threads_(symbol<void (*)(int)>(library, "omp_set_num_threads")),
        rounds_(rounds) {}
  std::string name() const override { return rounds_ ? "+rounding" : "oneDNN"; }
  void set_threads(int threads) override { threads_(threads); }
  void multiply(const Task& task) override {
    const auto& [a, b, c, a_rounded, b_rounded] = task;
    if (rounds_) {
      round_all(a.data, a.rows * a.cols, a_rounded);
      round_all(b.data, b.rows * b.cols, b_rounded);
    }
    gemm_(is_transposed(a) ? 'T' : 'N', is_transposed(b) ? 'T' : 'N', c.rows, c.cols, a.cols, 1,
          a_rounded, leading(a), b_rounded, leading(b), 0, c.data, c.row_stride);
  }

 private:
  using Gemm = int (*)(char, char, std::int64_t, std::int64_t, std::int64_t, float, const void*,
                       std::int64_t, const void*, std::int64_t, float, void*, std::int64_t);
  Gemm gemm_;
  void (*threads_)(int);
  bool rounds_;
};

inline void* load_onednn() {  // the newest there is; Debian 13 calls it libdnnl.so.3.6
  const auto load = [](const std::string& version) {
    return dlopen(("libdnnl.so." + version).c_str(), RTLD_NOW | RTLD_LOCAL);
  };
  if (void* library = load("3")) return library;
  for (int minor = 20; minor >= 0; --minor)
    if (void* library = load("3." + std::to_string(minor))) return library;
  return load("2");
}

inline std::vector<std::unique_ptr<Peer>> bfloat16_peers() {
  std::vector<std::unique_ptr<Peer>> peers;
  void* const library = load_onednn();
  if (library != nullptr && dlsym(library, "dnnl_gemm_bf16bf16f32") != nullptr)
    for (const bool rounds : {false, true})
      peers.push_back(std::make_unique<OneDnnBfloat16>(library, rounds));
  return peers;
}

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
    if (void* library = load_onednn()) peers.push_back(std::make_unique<OneDnn>(library));
  return peers;
}

}  // namespace bench
