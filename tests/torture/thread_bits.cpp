// The same bits for any number of threads: trains 200 steps of configuration a and 5 of b16 with 1,
// 2, 3 and 8 threads and compares every weight; a in bfloat16 too, where the CPU has it. Minutes.
#include <cstdio>
#include <cstring>

#include "engine/base/thread_pool.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/instruction_set.h"
#include "tests/bench/step_model.h"

int main(int argc, char** argv) {
  struct Proof {
    std::string_view configuration;
    engine::Index steps;
    engine::kernels::Precision precision;
  };
  constexpr auto single = engine::kernels::Precision::float32,
                 half = engine::kernels::Precision::bfloat16;
  bool same = true;
  for (const Proof& proof : {Proof{"a", 200, single}, {"b16", 5, single}, {"a", 20, half}}) {
    if (argc > 1 && proof.configuration != argv[1]) continue;
    if (proof.precision == half && !engine::kernels::has_bfloat16_products()) continue;
    engine::kernels::set_product_precision(proof.precision);
    std::vector<engine::real> expected;
    for (const int threads : {1, 2, 3, 8}) {
      engine::set_thread_count(threads);
      bench::Training training(bench::configuration(proof.configuration));
      const double loss = training.run(proof.steps);
      const engine::real* const weights = training.parameters().values();
      const auto size = static_cast<std::size_t>(training.parameters().size());
      if (expected.empty()) expected.assign(weights, weights + size);
      const bool equal = std::memcmp(expected.data(), weights, size * sizeof(engine::real)) == 0;
      same = same && equal;
      std::printf(
          "%s%s, %lld steps, %d threads: loss %.9g, %s\n", std::string(proof.configuration).c_str(),
          proof.precision == half ? " in bfloat16" : "", static_cast<long long>(proof.steps),
          threads, loss, equal ? "same bits" : "OTHER BITS");
      std::fflush(stdout);
    }
  }
  return same ? 0 : 1;
}
