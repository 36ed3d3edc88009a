// check_gradient on an op of one's own: a right one, and one for every mistake that it must find.
#include "engine/gradient_check.h"

#include <cmath>
#include <functional>
#include <limits>

#include "engine/base/check.h"
#include "engine/kernels/simd.h"
#include "engine/ops.h"
#include "engine/ops/map.h"
#include "engine/tape.h"
#include "tests/catch.h"

using namespace engine;
using kernels::Vec;

namespace {

// y = x where x > 0, else 0.1 x
//     dx = dy where x > 0, else `below` dy: right for below = 0.1
Tensor bent(const Tensor& x, real below = real(0.1)) {
  const Tensor y = map([](Vec u) { return kernels::select(u > 0, u, u * real(0.1)); }, x);
  return record("leaky_relu", y, {x.gradient()}, [x, below, dx = x.gradient()](const Tensor& dy) {
    add_map(
        dx, [below](Vec u, Vec dv) { return kernels::select(u > 0, dv, dv * below); }, x, dy);
  });
}

// 2 x, with a backward that is given.
Tensor doubled(const Tensor& x, std::function<void(const Gradient&, const Tensor&)> backward) {
  const Tensor y = map([](Vec u) { return u * 2; }, x);
  return record("doubled", y, {x.gradient()},
                [backward, dx = x.gradient()](const Tensor& dy) { backward(dx, dy); });
}

// At 1/4 and more from 0, where a kink may be.
Tensor values(const Shape& shape) {
  Tensor x = Tensor::uninitialized(shape);
  for (Index i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = static_cast<real>((i % 2 == 0 ? 1 : -1) * (0.25 + 0.13 * double(i % 9)));
  return x.require_gradient();
}

}  // namespace

TEST_CASE("gradient check: an op of one's own that is right passes, closely") {
  for (const Shape& shape : {Shape{}, {1}, {17}, {3, 5}, {2, 3, 9}}) {
    const Tensor x = values(shape), before = x.clone();
    const double error = check_gradient([&] { return bent(x); }, {x});
    CHECK(error < (sizeof(real) == 8 ? 1e-11 : 1e-4));
    CHECK_FALSE(x.gradient().written());
    for (Index i = 0; i < x.size(); ++i) CHECK(x.data()[i] == before.data()[i]);
  }
}

TEST_CASE("gradient check: a report names the op and the element") {
  const Tensor x = values({3, 2});
  // By a thousandth, at the elements that are below 0 alone.
  for (const double wrong : {0.0, -0.1, 0.1001, 0.3, double(NAN)})
    CHECK_THROWS_WITH(
        check_gradient([&] { return bent(x, real(wrong)); }, {x}),
        Catch::StartsWith("leaky_relu: dx1[0, 1] is ") && Catch::Contains(", by differences "));
  // The second input, at its last element.
  const Tensor w = values({3, 2});
  const auto forgets_it = [](const Gradient& dx, const Tensor& dy) {
    Tensor g = dy * 2;
    g.mutable_data()[5] = 0;
    dx.accumulate(g);
  };
  CHECK_THROWS_WITH(check_gradient([&] { return x + doubled(w, forgets_it); }, {x, w}),
                    Catch::StartsWith("add: dx2[2, 1] is 0, by differences "));
}

TEST_CASE("gradient check: a gradient that is assigned instead of added") {
  const Tensor x = values({5});
  const auto assigns = [](const Gradient& dx, const Tensor& dy) {
    real* const to = dx.destination().data;  // and does not ask whether to add
    for (Index i = 0; i < dy.size(); ++i) to[i] = 2 * dy.data()[i];
  };
  CHECK_THROWS_WITH(check_gradient([&] { return doubled(x, assigns); }, {x}),
                    Catch::StartsWith("doubled: dx1[0] is ") &&
                        Catch::Contains(" when added to what the slot held"));
}

TEST_CASE("gradient check: a slope's size is that of the output that moved") {
  // y = 2 x1, and x2 moves nothing: v y = 0.5 2 x1, at x1 = 1 + h and at 1.
  const double h = sizeof(real) == 8 ? 0x1p-10 : 0x1p-6;
  const Tensor x = Tensor::of({1, 2}), inputs[] = {x};
  const auto slopes =
      gradient_check::slopes([&] { return slice(x, 0, 0, 1) * 2; }, inputs, Tensor::of({0.5}));
  CHECK(slopes[0].value == 1);
  CHECK(slopes[0].size == 1 + h);
  CHECK(slopes[1].value == 0);
  CHECK(slopes[1].size == std::numeric_limits<real>::epsilon() / h);
}

TEST_CASE("gradient check: inputs that get no gradient, or cannot") {
  const Tensor x = values({5}), other = values({2});
  CHECK_THROWS_WITH(check_gradient([&] { return exp(x); }, {x, other}),
                    "exp: input 2 got no gradient");
  CHECK_THROWS_WITH(
      check_gradient([&] { return exp(x); }, {x, Tensor::ones({2, 3})}),
      "check_gradient: input 2 of shape (2, 3) has no gradient slot; require_gradient() "
      "gives it one");
}

TEST_CASE("gradient check: an error of the function leaves the inputs as they were") {
  const Tensor x = values({3});
  int calls = 0;
  const auto f = [&] {
    if (++calls == 4) throw Error("enough");
    return exp(x);
  };
  CHECK_THROWS_WITH(check_gradient(f, {x}), "enough");
  CHECK(x.at({0}) == real(0.25));
}

TEST_CASE("record: an op of one's own has its name on the tape, and in messages") {
  struct Names : Tape::Observer {
    std::string text;
    void recorded(const char* op, const Gradient&, std::span<const Gradient>) override {
      text += std::string(op) + " ";
    }
    void ran_backward(const char* op, const Gradient&, const Tensor&) override {
      text += std::string("d") + op + " ";
    }
  } names;
  const Tensor x = values({3});
  Tape tape;
  tape.observe(&names);
  tape.backward(sum(bent(x)));
  CHECK(names.text == "leaky_relu sum dsum dleaky_relu ");
  const Tensor loss = sum(bent(x));
  x.mutable_data()[0] = 1;
  CHECK_THROWS_WITH(tape.backward(loss), Catch::StartsWith("backward of leaky_relu: "));
}
