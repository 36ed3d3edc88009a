// Closures of any size, and the pool just below and above 2 MiB, from where on it takes large pages.

#include <array>

#include "engine/base/storage.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/catch.h"

using namespace engine;

namespace {

// y = -x, its backward pass with `bytes` bytes of ballast that must arrive as they were packed.
template <std::size_t bytes>
Tensor heavy_negation(const Tensor& x, int& intact) {
  std::array<unsigned char, bytes> ballast;
  for (std::size_t i = 0; i < bytes; ++i) ballast[i] = static_cast<unsigned char>(i * 7 + bytes);
  return record("heavy negation", Tensor::of(x.shape(), {-double(x.item())}), {x.gradient()},
                [ballast, &intact, dx = x.gradient()](const Tensor& dy) {
                  bool same = true;
                  for (std::size_t i = 0; i < bytes; ++i)
                    same &= ballast[i] == static_cast<unsigned char>(i * 7 + bytes);
                  intact += same;
                  dx.accumulate(-dy);
                });
}

}  // namespace

TEST_CASE("tape: closures of any size") {
  Tensor x = Tensor::of({1}, {3}).require_gradient();
  const std::size_t before = pool::usage().live;
  int intact = 0;
  {
    Tape tape;
    Tensor y = x;
    for (int round = 0; round < 5; ++round)
      for (const auto negation :
           {heavy_negation<1>, heavy_negation<20'000>, heavy_negation<200'000>})
        y = negation(y, intact);
    REQUIRE(tape.size() == 15);
    tape.backward(y);
    CHECK(x.gradient().value().item() == -1);
  }
  CHECK(intact == 15);
  x.gradient().clear();
  CHECK(pool::usage().live == before);
}

TEST_CASE("tape: what was recorded and never run is freed with the tape") {
  Tensor x = Tensor::of({2}, {1, 2}).require_gradient();
  const std::size_t before = pool::usage().live;
  {
    Tape tape;
    Tensor y = x;
    for (int i = 0; i < 1000; ++i) y = y * 2;
    CHECK(tape.size() == 1000);
    CHECK(pool::usage().live > before);
  }
  CHECK(pool::usage().live == before);
}

TEST_CASE("tape: what is no part of the loss does not run backward, wherever its slope is") {
  Tensor x = Tensor::of({2}, {0, 4}).require_gradient();
  Tape tape;
  const Tensor unused = log(x);  // 0 times its slope at 0 would be NaN
  tape.backward(sum(x * 2));
  CHECK(x.gradient().value().at({0}) == 2);
  CHECK(tape.size() == 0);
}

TEST_CASE("tape: backward scales with its seed and records nothing") {
  Tensor x = Tensor::of({1}, {3}).require_gradient();
  Tape tape;
  tape.backward(x * x, 0.5);
  CHECK(x.gradient().value().item() == 3);
  CHECK(tape.size() == 0);
  x.gradient().clear();
  tape.backward(x * 4, Tensor::of({1}, {0.25}));
  CHECK(x.gradient().value().item() == 1);
}
