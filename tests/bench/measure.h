// What the benchmarks share besides their clock: the machine's own limits, measured rather than
// looked up. A shared machine drifts by several percent within minutes, so a claim is a ratio:
// contenders take turns within one run, and a share of the peak is a share of the peak measured
// in the same turns.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "engine/base/real.h"
#include "engine/base/storage.h"
#include "engine/kernels/bfloat16.h"
#include "engine/kernels/gemm/packing.h"
#include "tests/bench/clock.h"

namespace bench {

using engine::Index;
using engine::real;

inline double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

// Runs body(thread) on `threads` threads at once, when all have started; returns the seconds until
// the last has finished.
template <class Body>
double time_on_threads(int threads, Body&& body) {
  std::atomic<int> waiting = threads;
  const auto run = [&](int thread) {
    --waiting;
    while (waiting > 0) {
    }
    body(thread);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run, i);
  --waiting;
  while (waiting > 0) {
  }
  const double start = seconds();
  body(0);
  for (std::thread& other : others) other.join();
  return seconds() - start;
}

// Multiplications and additions a second, in units of 1e9, of fmas, or of sums of pairs of
// bfloat16, with operands in registers: 16 chains in flight, more than latency times throughput
// (4 x 2, for pairs 6 x 2) needs. Takes about 3 ms.
template <engine::kernels::Precision precision = engine::kernels::Precision::float32>
double fma_peak(int threads) {
  using namespace engine::kernels;
  constexpr int chains = vector_registers == 32 ? 16 : 12, steps = 1 << 18;
  std::atomic<bool> unused = false;
  const double time = time_on_threads(threads, [&](int) {
    Vec x[chains];
    for (int i = 0; i < chains; ++i) x[i] = splat(static_cast<real>(i));
    Vec a = splat(real(0.5)), b = splat(real(0.25));
    asm volatile("" : "+m"(a), "+m"(b));  // not constants, as far as the compiler knows
    for (int step = 0; step < steps; ++step)
#pragma GCC unroll 16
      for (int i = 0; i < chains; ++i)
        if constexpr (precision == Precision::float32)
          x[i] = fma(x[i], a, b);
        else
          x[i] = multiply_pairs(as_bits(a), as_bits(b), x[i]);
    Vec sum{};
    for (int i = 0; i < chains; ++i) sum += x[i];
    if (reduce_add(sum) == 0) unused = true;
  });
  return 2.0 * static_cast<double>(k_per_step(precision)) * steps * chains * lanes * threads /
         time / 1e9;
}

// Removes [data, data + n) from every cache.
inline void evict(const real* data, Index n) {
  const auto* const bytes = reinterpret_cast<const char*>(data);
  for (Index i = 0; i < n * static_cast<Index>(sizeof(real)); i += 64) {
#if defined(__x86_64__)
    _mm_clflush(bytes + i);
#elif defined(__aarch64__)
    asm volatile("dc civac, %0" ::"r"(bytes + i) : "memory");
#endif
  }
#if defined(__x86_64__)
  _mm_mfence();
#elif defined(__aarch64__)
  asm volatile("dsb ish" ::: "memory");
#endif
}

// GB/s that `threads` threads read from memory that is in no cache.
inline double read_bandwidth(int threads) {
  using namespace engine::kernels;
  const Index n = (Index(128) << 20) / static_cast<Index>(sizeof(real));
  static const engine::Scratch<real> memory(n);
  static const bool filled = (std::fill(memory.begin(), memory.end(), real(1)), true);
  evict(memory.data(), filled ? n : 0);
  std::atomic<bool> unused = false;
  const double time = time_on_threads(threads, [&](int thread) {
    Vec sum[8] = {};
    const Index share = n / threads / (8 * lanes) * (8 * lanes);
    const real* const from = memory.data() + share * thread;
    for (Index i = 0; i < share; i += 8 * lanes)
#pragma GCC unroll 8
      for (int v = 0; v < 8; ++v) sum[v] += load(from + i + v * lanes);
    for (int v = 1; v < 8; ++v) sum[0] += sum[v];
    if (reduce_add(sum[0]) == 0) unused = true;
  });
  return static_cast<double>(n) * sizeof(real) / time / 1e9;
}

}  // namespace bench
