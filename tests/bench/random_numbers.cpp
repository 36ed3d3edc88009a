// The time of random numbers: ns per value, the best of many runs over an array that fits in cache.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <vector>

#include "engine/ops/dropout.h"
#include "engine/random/generator.h"

namespace {

using engine::Generator;
using engine::Index;
using engine::real;

constexpr Index n = 1 << 14;

template <class Body>
void measure(const char* what, Body body) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 200; ++run) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  std::printf("%-44s %7.2f ns\n", what, best / n);
}

}  // namespace

int main() {
  std::vector<real> x(n, 1), y(n);
  std::vector<std::int64_t> whole(n);
  Generator generator(1337);
  measure("uniform", [&] { generator.uniform(x, -1, 1); });
  measure("normal", [&] { generator.normal(x, 0, 0.02); });
  measure("discarded uniform", [&] { generator.discard_uniform(n); });
  measure("discarded normal", [&] { generator.discard_normal(n); });
  measure("randint", [&] { generator.randint(whole, 0, 1003790); });
  measure("randperm", [&] { generator.randperm(n); });
  measure("exponential", [&] { generator.exponential(x); });
  std::fill(x.begin(), x.end(), real(1));
  const engine::DropoutMask mask = engine::DropoutMask::draw(0.2, &generator);
  measure("dropout applied",
          [&] { mask.apply(n, 0, x.data(), y.data(), engine::kernels::Write::overwrite); });
}
