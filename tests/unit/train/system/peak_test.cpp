// The machine's peak, by which --minutes chooses a size and progress lines give a share, compared with
// the speed of a large product: it must be between 0.55 and 1.05 of the peak.
#include "train/system/peak.h"

#include <algorithm>
#include <chrono>

#include "engine/base/thread_pool.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/instruction_set.h"
#include "engine/ops.h"
#include "tests/catch.h"

TEST_CASE("peak: a large product reaches more than half of it, and no more than all") {
  using engine::kernels::Precision;
  const Precision before = engine::kernels::product_precision(),
                  precision = GENERATE(Precision::float32, Precision::bfloat16);
  if (precision == Precision::bfloat16 && !engine::kernels::has_bfloat16_products()) return;
  engine::kernels::set_product_precision(precision);
  const int threads = engine::thread_count();
  engine::set_thread_count(1);
  const engine::Index n = 384;
  engine::Tensor a = engine::Tensor::zeros({n, n}), b = engine::Tensor::zeros({n, n});
  std::ranges::fill(a.mutable_values(), engine::real(0.5));
  std::ranges::fill(b.mutable_values(), engine::real(0.25));
  double peak = 0, product = 0;
  // Other programs may slow down either of them: compares the best of each, of 30 tries to 60.
  for (int i = 0; i < 60 && (i < 30 || product > 1.05 * peak || product < 0.55 * peak); ++i) {
    peak = std::max(peak, train::measure_peak_flops(precision));
    const auto start = std::chrono::steady_clock::now();
    const engine::Tensor c = engine::matmul(a, b);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    CHECK(c.values()[0] == engine::real(0.5 * 0.25 * n));
    product = std::max(product, 2.0 * n * n * n / seconds.count());
  }
  engine::set_thread_count(threads);
  engine::kernels::set_product_precision(before);
  INFO((precision == Precision::float32 ? "float32" : "bfloat16")
       << ": peak " << peak / 1e9 << ", product " << product / 1e9 << " GFLOP/s");
  CHECK(product <= 1.05 * peak);
  CHECK(product >= 0.55 * peak);
}
