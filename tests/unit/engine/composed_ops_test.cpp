// Functions that are compositions of ops: their values, and the gradients that follow from them.
#include <cmath>

#include "engine/base/check.h"
#include "engine/tape.h"
#include "tests/unit/engine/plain_loops.h"

using namespace plain;

TEST_CASE("composed ops: min") {
  const Tensor x = Tensor::of({{3, 1, 2}, {5, 4, 4}});
  CHECK(list(min(x, 1)) == Numbers{1, 4});
  CHECK(list(min(x)) == Numbers{1});
  CHECK(min(Tensor::of({{3, 1}, {0, 2}}), 0, true).shape() == Shape{1, 2});
}

TEST_CASE("composed ops: standard deviation and mean squared error") {
  const Tensor x = Tensor::of({{1, 3}, {2, 10}});
  CHECK(list(standard_deviation(x, 1, false, 0)) == Numbers{1, 4});
  CHECK(std::abs(list(standard_deviation(x, 1))[0] - std::sqrt(2.0)) < 1e-6);
  const Tensor a = Tensor::of({1, 2, 3}).require_gradient();
  Tape tape;
  const Tensor loss = mean_squared_error(a, Tensor::of({1, 5, 1}));
  CHECK(std::abs(list(loss)[0] - 13.0 / 3) < 1e-6);
  tape.backward(loss);
  const std::vector<double> da = list(a.gradient().value());
  CHECK(std::abs(da[1] + 2) < 1e-6);
  CHECK(std::abs(da[2] - 4.0 / 3) < 1e-6);
  CHECK_THROWS_WITH(mean_squared_error(x, a),
                    "mean_squared_error: x (2, 2) and y (3) need the same shape");
}

TEST_CASE("composed ops: tril keeps what lies on and below a diagonal") {
  const Tensor x = Tensor::ones({2, 3, 4});
  CHECK(list(tril(x)[1]) == Numbers{1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0});
  CHECK(list(tril(x, 1)[0]) == Numbers{1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1});
  CHECK(list(tril(x, -1)[0]) == Numbers{0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0});
  CHECK_THROWS_WITH(tril(Tensor::of({1, 2})), "tril: x needs at least two axes, got (2)");
}

TEST_CASE("composed ops: chunk cuts an axis as torch.chunk does") {
  const Tensor x = Tensor::arange(7);
  const std::vector<Tensor> three = chunk(x, 3);
  REQUIRE(three.size() == 3);
  CHECK(list(three[0]) == Numbers{0, 1, 2});
  CHECK(list(three[2]) == Numbers{6});
  CHECK(chunk(Tensor::arange(6), 4).size() == 3);  // 2, 2, 2
  CHECK(chunk(Tensor::ones({2, 6}), 3, -1)[1].shape() == Shape{2, 2});
  CHECK_THROWS_WITH(chunk(x, 0), "chunk: 0 chunks, expected at least 1");
}

TEST_CASE("composed ops: +=, -=, *= and /= make a handle to a new tensor") {
  const Tensor x = Tensor::of({1, 2}).require_gradient();
  Tape tape;
  Tensor y = x * 2;
  const Tensor old = y;
  y += x;
  y -= 1;
  CHECK(list(y) == Numbers{2, 5});
  y *= x;
  y /= 4;
  CHECK(list(y) == Numbers{0.5, 2.5});
  CHECK(list(old) == Numbers{2, 4});
  tape.backward(sum(y));  // (3 x^2 - x) / 4
  CHECK(list(x.gradient().value()) == Numbers{1.25, 2.75});
}

TEST_CASE("composed ops: sums and means over several axes") {
  const Tensor x = Tensor::arange(4 * 5 * 6).reshape({4, 5, 6});
  CHECK(list(sum(x, {2, 1})) == Numbers{435, 1335, 2235, 3135});  // torch.sum's example
  CHECK(sum(x, {0, 2}, true).shape() == Shape{1, 5, 1});
  CHECK(list(mean(x, {0, 2}, true)) == Numbers{47.5, 53.5, 59.5, 65.5, 71.5});
  CHECK(mean(x, {2, 0, 1}).item() == 59.5);
}

TEST_CASE("composed ops: broadcast_to") {
  const Tensor x = Tensor::of({1, 2, 3});
  CHECK(list(broadcast_to(x, {3, 3})) == Numbers{1, 2, 3, 1, 2, 3, 1, 2, 3});  // torch's example
  CHECK(list(broadcast_to(Tensor::of({{1}, {2}}), {2, 2, 3})) ==
        Numbers{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  CHECK(broadcast_to(Tensor::ones({0, 1}), {0, 4}).shape() == Shape{0, 4});
}
