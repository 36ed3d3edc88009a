#include "engine/tape.h"

#include <cmath>

#include "engine/ops.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("tape: fan-out adds up, in every shape of graph") {
  Tensor x = Tensor::of({3}, {1, 2, 3});
  x.require_gradient();
  SECTION("x * x") {
    Tape tape;
    tape.backward(sum(x * x));
    CHECK(x.gradient().value().at({1}) == 4);
  }
  SECTION("x + x") {
    Tape tape;
    tape.backward(sum(x + x));
    CHECK(x.gradient().value().at({2}) == 2);
  }
  SECTION("diamond: (x + 1) (x + 2)") {
    Tape tape;
    tape.backward(sum((x + 1) * (x + 2)));
    CHECK(x.gradient().value().at({0}) == 5);
  }
  SECTION("a sum whose terms share dy, one of them used again") {
    Tape tape;
    const Tensor y = x + 0;
    const Tensor z = x * 2;
    const Tensor w = y + z;  // dy and dz are the same memory for a while
    tape.backward(sum(w + y * 3));
    CHECK(x.gradient().value().at({0}) == 6);
    CHECK(x.gradient().value().at({2}) == 6);
  }
  SECTION("gradients add up over passes, and clear forgets") {
    for (int pass = 1; pass <= 3; ++pass) {
      Tape tape;
      tape.backward(sum(x * 5));
      CHECK(x.gradient().value().at({1}) == real(5 * pass));
    }
    x.gradient().clear();
    CHECK(x.gradient().value().at({1}) == 0);
  }
}

TEST_CASE("tape: what is not needed is not recorded") {
  const Tensor data = Tensor::ones({2, 2});
  Tensor parameter = Tensor::ones({2, 2}).require_gradient();
  {
    const Tensor y = data * parameter;
    CHECK_FALSE(y.gradient());  // no tape
  }
  Tape tape;
  CHECK_FALSE((data * data).gradient());
  CHECK((data * parameter).gradient());
  CHECK_FALSE((data * parameter.detach()).gradient());
  CHECK(tape.size() == 1);
  {
    const Tape::Pause pause;
    CHECK_FALSE((data * parameter).gradient());
  }
  CHECK(Tape::current() == &tape);
}

TEST_CASE("tape: a branch that does not lead to the loss costs nothing") {
  Tensor x = Tensor::ones({2}).require_gradient();
  Tape tape;
  const Tensor unused = exp(x);
  tape.backward(sum(x * 2));
  CHECK(x.gradient().value().at({0}) == 2);
  CHECK(tape.size() == 0);
}

TEST_CASE("tape: backward says what is wrong") {
  Tensor x = Tensor::ones({2}).require_gradient();
  Tape tape;
  CHECK_THROWS_WITH(tape.backward(x * 2), Catch::Contains("loss has shape (2)"));
  CHECK_THROWS_WITH(tape.backward(Tensor(1)), Catch::Contains("nothing was recorded"));
}

TEST_CASE("tape: memory of a pass goes back to the pool") {
  Tensor x = Tensor::ones({100}).require_gradient();
  std::size_t after_first = 0;
  for (int pass = 0; pass < 3; ++pass) {
    x.gradient().clear();
    {
      Tape tape;
      Tensor y = x;
      for (int i = 0; i < 1000; ++i) y = y * 0.999;
      tape.backward(sum(y));
    }
    if (pass == 0) after_first = pool::usage().live;
    CHECK(pool::usage().live == after_first);
  }
  CHECK(x.gradient().value().at({7}) == Approx(std::pow(0.999, 1000)).epsilon(1e-4));
}
