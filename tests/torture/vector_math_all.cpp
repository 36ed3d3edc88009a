// Every one of the 2^32 floats through every function of engine/kernels/vector_math.h, against
// double: prints the largest error of each and where it is, exits 1 if one is above its bound.
// Takes a few minutes on each of the CPUs there are.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <mutex>

#include "engine/base/thread_pool.h"
#include "tests/vector_math_cases.h"

namespace {

using engine::Index;
using engine::kernels::lanes;

struct Worst {
  double error = 0;
  float at = 0;
};

Worst worst_of(const vector_math::Case& c) {
  Worst worst;
  std::mutex mutex;
  engine::parallel_for(Index(1) << 32, Index(1) << 24, [&](Index begin, Index end) {
    Worst mine;
    for (Index i = begin; i < end; i += lanes) {
      engine::real x[lanes], y[lanes];
      for (int j = 0; j < lanes; ++j) x[j] = std::bit_cast<float>(std::uint32_t(i + j));
      engine::kernels::store(y, c.function(engine::kernels::load(x)));
      for (int j = 0; j < lanes; ++j)
        if (const double error = vector_math::error(c, x[j], y[j]); error > mine.error)
          mine = {error, float(x[j])};
    }
    const std::lock_guard lock(mutex);
    // The smallest x of the largest error, for any order of the threads.
    if (mine.error > worst.error || (mine.error == worst.error && mine.at < worst.at)) worst = mine;
  });
  return worst;
}

}  // namespace

int main() {
  if (!engine::kernels::is_float) {
    std::puts("vector_math: the double build calls the standard library; nothing to measure");
    return 0;
  }
  bool good = true;
  for (const vector_math::Case& c : vector_math::cases) {
    const Worst worst = worst_of(c);
    std::printf("%-20s %-9.4g %-15s (at most %g) at %a\n", c.name, worst.error,
                c.absolute ? "of max(1, |x|)" : "ulp", c.bound, double(worst.at));
    std::fflush(stdout);
    good = good && worst.error <= c.bound;
  }
  return good ? 0 : 1;
}
