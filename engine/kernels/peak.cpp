#include "engine/kernels/peak.h"

#include <algorithm>
#include <chrono>

#include "engine/kernels/simd.h"
#include "engine/storage.h"
#include "engine/thread_pool.h"

namespace engine::kernels {
namespace {

// Twelve independent sums: more than the four cycles of an fma times the two that can start in
// each, fewer than the smallest register file holds.
constexpr int chains = 12;
constexpr Index rounds = 20'000;

real multiply_add() {
  Vec sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = broadcast(static_cast<real>(i));
  Vec factor = broadcast(real(0.999)), term = broadcast(real(0.001));
  asm volatile("" : "+m"(factor), "+m"(term));  // no constants, as far as the compiler knows
  for (Index r = 0; r < rounds; ++r)
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i) sums[i] = fma(sums[i], factor, term);
  Vec total{};
  for (const Vec sum : sums) total += sum;
  return reduce_add(total);
}

}  // namespace

double measure_peak_flops() {
  const auto threads = static_cast<Index>(thread_count());
  Scratch<real> sink(threads * 16);
  double best = 0;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    parallel_for(threads, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) sink[i * 16] = multiply_add();
    });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const auto operations = static_cast<double>(threads * rounds * chains * lanes * 2);
    best = std::max(best, operations / seconds.count());
  }
  return best;
}

}  // namespace engine::kernels
