// Which precision a run takes, on CPUs of other kinds too, and that products are computed in it.
#include "train/system/precision.h"

#include "engine/base/check.h"
#include "engine/ops.h"
#include "tests/catch.h"
#include "tests/scoped_precision.h"

using engine::Index;
using engine::Tensor;
using engine::kernels::Precision;

using train::ProductDtype;

namespace {

// (rows, 2) times (2, cols) of [1 + 2^-9, 1] and [1, -1]: 2^-9. The sum's first factor has more bits
// than bfloat16, in which it is 1, so the product is 0.
double difference(Index rows, Index cols) {
  Tensor a = Tensor::ones({rows, 2}), b = Tensor::ones({2, cols});
  for (Index i = 0; i < rows; ++i) a.mutable_data()[2 * i] = 1 + 1.0f / 512;
  for (Index j = 0; j < cols; ++j) b.mutable_data()[cols + j] = -1;
  const Tensor c = engine::matmul(a, b);
  for (Index i = 1; i < c.size(); ++i) REQUIRE(c.data()[i] == c.data()[0]);
  return static_cast<double>(c.data()[0]);
}

constexpr Index sizes[][2] = {{1, 1}, {1, 100}, {3, 5}, {64, 96}, {200, 65}};

}  // namespace

TEST_CASE("precision: auto is bfloat16 on CPUs that are known to multiply it faster") {
  using Case = std::tuple<const char*, train::Cpu, ProductDtype>;
  for (const auto& [name, cpu, dtype] :
       {Case{"Zen 3", {false, true, false}, ProductDtype::float32},
        {"Zen 4, Zen 5", {true, true, false}, ProductDtype::bfloat16},
        {"Cooper Lake", {true, false, true}, ProductDtype::bfloat16},
        {"Cooper Lake, built for AVX2", {false, false, true}, ProductDtype::float32},
        {"Sapphire Rapids", {true, false, false}, ProductDtype::float32},
        {"Skylake, or no x86", {false, false, false}, ProductDtype::float32}}) {
    INFO(name);
    CHECK(train::resolved_dtype(ProductDtype::automatic, cpu) == dtype);
    CHECK(train::resolved_dtype(ProductDtype::float32, cpu) == ProductDtype::float32);
    CHECK(train::resolved_dtype(ProductDtype::bfloat16, cpu) == ProductDtype::bfloat16);
  }
  CHECK(train::resolved_dtype(ProductDtype::automatic) ==
        train::resolved_dtype(ProductDtype::automatic, train::this_cpu()));
}

TEST_CASE("precision: products are computed in the given dtype") {
  const ScopedPrecision back(Precision::float32);
  train::use_dtype(ProductDtype::float32);
  for (const auto& [rows, cols] : sizes) CHECK(difference(rows, cols) == 1.0 / 512);
  if (!train::this_cpu().bfloat16_products) {
    CHECK_THROWS_AS(train::use_dtype(ProductDtype::bfloat16), engine::Error);
    return;
  }
  train::use_dtype(ProductDtype::bfloat16);
  for (const auto& [rows, cols] : sizes) CHECK(difference(rows, cols) == 0);
  train::use_dtype(ProductDtype::automatic);
  const double expected =
      train::resolved_dtype(ProductDtype::automatic) == ProductDtype::bfloat16 ? 0 : 1.0 / 512;
  CHECK(difference(64, 96) == expected);
}
