// Which precision a run takes, on CPUs of other kinds too.
#include "train/system/precision.h"

#include <tuple>

#include "tests/catch.h"

using train::ProductDtype;

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
