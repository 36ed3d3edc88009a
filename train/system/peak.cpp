#include "train/system/peak.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/bfloat16.h"
#include "engine/kernels/gemm/packing.h"
#include "train/system/words.h"

namespace train {

using engine::real;
using namespace engine::kernels;

namespace {

// Twelve independent sums: more than the four cycles of an fma times the two that can start in
// each, fewer than the smallest register file holds.
constexpr int chains = 12;
constexpr Index rounds = 20'000;

template <Precision precision>
real multiply_add() {
  Vec sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = splat(i);
  Vec factor = splat(0.999), term = splat(0.001);
  asm volatile("" : "+m"(factor), "+m"(term));  // keeps the compiler from computing the result
  for (Index r = 0; r < rounds; ++r)
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i)
      if constexpr (precision == Precision::float32)
        sums[i] = fma(sums[i], factor, term);
      else
        sums[i] = multiply_pairs(as_bits(factor), as_bits(term), sums[i]);
  Vec total{};
  for (const Vec sum : sums) total += sum;
  return reduce_add(total);
}

}  // namespace

double measure_peak_flops(Precision precision) {
  using Clock = std::chrono::steady_clock;
  const auto threads = static_cast<Index>(engine::thread_count());
  engine::Scratch<real> sink(threads * 16);
  std::vector<int> worked(static_cast<std::size_t>(threads));  // who took each share
  double best = 0;
  const auto deadline = Clock::now() + std::chrono::milliseconds(200);
  // Measures ten rounds in which every thread took a share: at first some threads are asleep, or
  // share a CPU.
  for (int together = 0; together < 10;) {
    const auto start = Clock::now();
    engine::parallel_for(threads, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        sink[i * 16] = precision == Precision::float32 ? multiply_add<Precision::float32>()
                                                       : multiply_add<Precision::bfloat16>();
        engine::at(worked, i) = engine::thread_index();
      }
    });
    const auto end = Clock::now();
    const auto operations =
        static_cast<double>(threads * rounds * chains * lanes * 2 * k_per_step(precision));
    best = std::max(best, operations / std::chrono::duration<double>(end - start).count());
    std::ranges::sort(worked);
    if (std::ranges::adjacent_find(worked) == worked.end()) ++together;
    if (end > deadline) break;
  }
  return best;
}

double measure_peak_flops(Precision precision, const Processes& processes) {
  const int threads = engine::thread_count();
  return measure_peak_flops(precision) * processes.count * processes.running(threads) /
         (processes.on_this_machine * threads);
}

}  // namespace train
