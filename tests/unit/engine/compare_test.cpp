// Comparisons, masks, where and clamp.

#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/kernels/simd.h"
#include "engine/tape.h"
#include "tests/unit/engine/plain_loops.h"

using namespace plain;

namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();
constexpr real not_a_number = std::numeric_limits<real>::quiet_NaN();

// A mask is neither true nor false: if (x < y) must not compile, since it would mean "there is a
// tensor x < y".
static_assert(!std::is_constructible_v<bool, Mask>);
static_assert(std::is_same_v<decltype(Tensor() < Tensor()), Mask>);

}  // namespace

TEST_CASE("compare: six comparisons against plain loops, broadcasting, with equal values and NaN") {
  using Function = Mask (*)(const Tensor&, const Tensor&);
  struct Comparison {
    const char* name;
    Function function, sign;
    bool (*holds)(Exact, Exact);
  };
  const Comparison comparisons[] = {
      {"less", less, engine::operator<, [](Exact a, Exact b) { return a < b; }},
      {"less_equal", less_equal, engine::operator<=, [](Exact a, Exact b) { return a <= b; }},
      {"greater", greater, engine::operator>, [](Exact a, Exact b) { return a > b; }},
      {"greater_equal", greater_equal, engine::operator>=, [](Exact a, Exact b) { return a >= b; }},
      {"equal", equal, engine::operator==, [](Exact a, Exact b) { return a == b; }},
      {"not_equal", not_equal, engine::operator!=, [](Exact a, Exact b) { return a != b; }}};
  const auto fill = [](const Tensor& x, Index period) {
    const real values[] = {1, 0, -2, infinity, -infinity, not_a_number};
    for (Index i = 0; i < x.size(); ++i) x.mutable_data()[i] = values[i % period];
    return x;
  };
  for (Index n = 0; n <= 2 * kernels::lanes + 1; ++n) {
    const Tensor a = fill(input({2, 3, n}), 6), row = fill(input({n}), 5),
                 column = fill(input({3, 1}), 3);
    for (const auto& [name, function, sign, holds] : comparisons)
      for (const Function f : {function, sign})
        for (const Tensor& b : {a, row, column, Tensor(1)}) {
          INFO((f == sign ? "as a sign" : "as a function"));
          check_values(name, f(a, b), {2, 3, n}, [&, h = holds](const At& at) {
            return Exact(h(get(a, at), get(b, at, 3)));
          });
          check_values(name, f(b, a), {2, 3, n}, [&, h = holds](const At& at) {
            return Exact(h(get(b, at, 3), get(a, at)));
          });
        }
  }
}

TEST_CASE("compare: masks are data, and multiply") {
  Tensor x = Tensor::of({-1, 0, 1, 2}).require_gradient();
  Tape tape;
  const Mask mask = x > 0;
  CHECK_FALSE(mask.gradient());
  CHECK(tape.size() == 0);
  CHECK(list(mask * (x < 2)) == Numbers{0, 0, 1, 0});
  CHECK(list(1 - mask) == Numbers{1, 1, 0, 0});
  CHECK(max(x == 2).item() == 1);
  CHECK(min(x != 3).item() == 1);
  tape.backward(sum(masked_fill(x * x, x <= 0, -infinity)[-1]));
  CHECK(list(x.gradient().value()) == Numbers{0, 0, 0, 4});
}

TEST_CASE("where: what is not chosen leaves no trace, in the value or in the gradient") {
  Tensor a = Tensor::of({5}, {1, infinity, not_a_number, -infinity, -0.0}).require_gradient();
  Tensor b = Tensor::of({5}, {not_a_number, 2, 3, 4, infinity}).require_gradient();
  const Tensor mask = Tensor::of({1, 0, 0, 0, 1});
  Tape tape;
  const Tensor y = where(mask, a, b);
  CHECK(list(y) == Numbers{1, 2, 3, 4, 0});
  CHECK(std::signbit(y.at({4})));
  tape.backward(y, Tensor::of({5}, {10, 20, 30, 40, 50}));
  CHECK(list(a.gradient().value()) == Numbers{10, 0, 0, 0, 50});
  CHECK(list(b.gradient().value()) == Numbers{0, 20, 30, 40, 0});
  // An infinite dy, too, stays on its own side.
  a.gradient().clear();
  b.gradient().clear();
  tape.backward(where(mask, a, b), Tensor::full({5}, infinity));
  CHECK(list(a.gradient().value()) == Numbers{infinity, 0, 0, 0, infinity});
  CHECK(list(b.gradient().value()) == Numbers{0, infinity, infinity, infinity, 0});
}

TEST_CASE("clamp: torch.clamp's example; on and beyond the limits") {
  CHECK(max(abs(clamp(Tensor::of({-1.7120, 0.1734, -0.0478, -0.0922}), -0.5, 0.5) -
                Tensor::of({-0.5, 0.1734, -0.0478, -0.0922})))
            .item() == 0);
  CHECK(list(clamp(Tensor::of({-3, -1, 2, infinity, -infinity}), -1, 2)) ==
        Numbers{-1, -1, 2, 2, -1});
  CHECK(std::isnan(clamp(Tensor(not_a_number), 0, 1).item()));
  CHECK(list(clamp(Tensor::of({-1, 9}), 0, infinity)) == Numbers{0, 9});
}
