#include "engine/tensor.h"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "engine/attention.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/catch.h"

using namespace engine;

TEST_CASE("tensor: made from lists") {
  const Tensor vector = Tensor::of({1, 2, 3});
  CHECK(vector.shape() == Shape{3});
  const Tensor matrix = Tensor::of({{1, 2, 3}, {4, 5, 6}});
  CHECK(matrix.shape() == Shape{2, 3});
  CHECK(matrix.at({1, 0}) == 4);
  CHECK(Tensor::arange(4).at({3}) == 3);
  CHECK(Tensor::of({{1}}).shape() == Shape{1, 1});
  const Tensor column = Tensor::of({{1}, {2}});
  CHECK(column.shape() == Shape{2, 1});
  CHECK(column.at({1, 0}) == 2);
  CHECK(Tensor::of({{1, 2}}).shape() == Shape{1, 2});
  const real half = 0.5;
  CHECK(Tensor::of({half, 2}).at({0}) == half);
  CHECK(Tensor::of({{half}, {half}}).shape() == Shape{2, 1});
  // A shape and values.
  const std::vector<real> values = {1, 2};
  CHECK(Tensor::of({2, 1}, {1, 2}).shape() == Shape{2, 1});
  CHECK(Tensor::of({2}, {1, 2}).at({1}) == 2);
  CHECK(Tensor::of({1, 2}, values).shape() == Shape{1, 2});
  CHECK(Tensor::of({}, {3}).shape() == Shape{});
  CHECK_THROWS_WITH(Tensor::of({{1, 2}, {3}}), "tensor: a row of 1 value among rows of 2");
}

TEST_CASE("tensor: assign reaches every handle") {
  const Tensor x = Tensor::zeros({2, 2}), same = x.reshape({4});
  x.assign(Tensor::of({{1, 2}, {3, 4}}));
  CHECK(same.at({3}) == 4);
  CHECK_THROWS_WITH(x.assign(same), "assign: shape (4) to a tensor of shape (2, 2)");
}

TEST_CASE("tensor: set changes one element, of every handle, and counts as a change in place") {
  Tensor x = Tensor::of({{1, 2}, {3, 4}}).require_gradient();
  const Tensor same = x.reshape({4}), scalar = 1;
  x.set({1, 0}, 7);
  CHECK(same.at({2}) == 7);
  scalar.set({}, 5);
  CHECK(scalar.item() == 5);
  Tape tape;
  const Tensor y = sum(x * x);
  x.set({0, 0}, 2);
  CHECK_THROWS_WITH(tape.backward(y), Catch::Contains("changed in place"));
}

// x[0] = 5 would assign to a temporary handle and leave x as it is.
static_assert(!std::is_assignable_v<Tensor, double> && !std::is_assignable_v<Tensor, Tensor> &&
              !std::is_assignable_v<Tensor, const Tensor&>);
static_assert(std::is_assignable_v<Tensor&, double> && std::is_assignable_v<Tensor&, Tensor> &&
              std::is_assignable_v<Tensor&, const Tensor&>);

TEST_CASE("tensor: a handle copied before require_gradient has the values but no gradient") {
  Tensor x = Tensor::of({2, 3});
  const Tensor before = x;
  x.require_gradient();
  const Tensor after = x;
  CHECK_FALSE(before.gradient());
  {
    Tape tape;
    tape.backward(sum(before * after));  // before is data: d/dx (b x) = b, not 2 x
  }
  CHECK(x.gradient().value().at({1}) == 3);
  CHECK(after.gradient().value().at({1}) == 3);
  before.mutable_data()[0] = 7;
  CHECK(x.at({0}) == 7);
  x.require_gradient();  // has one
  CHECK(x.gradient() == after.gradient());
}

TEST_CASE("tensor: require_gradient leaves a result on its tape") {
  const Tensor x = Tensor::ones({2}).require_gradient();
  Tape tape;
  Tensor y = x * 3;
  y.require_gradient();
  tape.backward(sum(y));
  CHECK(x.gradient().value().at({1}) == 3);
}

TEST_CASE("tensor: what is moved from is no tensor, and may be given a value") {
  Tensor x = Tensor::ones({2}).require_gradient(), y = std::move(x);
  CHECK((!x && x.shape() == Shape{0} && x.size() == 0 && !x.gradient()));
  CHECK((y.shape() == Shape{2} && y.gradient()));
  CHECK_THROWS_WITH(x + y, "add: shapes (0) and (2) do not broadcast: 0 against 2");
  x = std::move(y);
  CHECK((!y && y.shape() == Shape{0} && x.at({1}) == 1));
  Tensor& same = x;
  x = std::move(same);
  CHECK(x.at({1}) == 1);
}

TEST_CASE("tensor: arange has the nearest real to every number") {
  if constexpr (sizeof(real) == 8) return;
  const Tensor x = Tensor::arange((Index(1) << 24) + 5);
  CHECK(x.at({5}) == 5);
  CHECK(x.at({(Index(1) << 24) + 4}) == 0x1.000004p24F);
}

TEST_CASE("tensor: x[i] and select, from both ends, with their gradient") {
  Tensor x = Tensor::of({{1, 2, 3}, {4, 5, 6}}).require_gradient();
  CHECK(x[1].at({2}) == 6);
  CHECK(x[-1].at({2}) == 6);
  CHECK(x[0][1].item() == 2);
  CHECK(select(x, 1, -3).at({1}) == 4);
  CHECK_THROWS_WITH(x[2], "select: index 2 is not within [-2, 2), axis 0 of shape (2, 3)");
  CHECK_THROWS_WITH(x[-3], "select: index -3 is not within [-2, 2), axis 0 of shape (2, 3)");
  Tape tape;
  tape.backward(x[1][0] * 7);
  CHECK(x.gradient().value().at({1, 0}) == 7);
  CHECK(sum(x.gradient().value()).item() == 7);
}

TEST_CASE("tensor: stack makes a new axis") {
  const Tensor a = Tensor::of({{1, 2}, {3, 4}}), b = a * 10;
  CHECK(stack({a, b}).shape() == Shape{2, 2, 2});
  CHECK(stack({a, b}).at({1, 0, 1}) == 20);
  CHECK(stack({a, b, a}, 1).shape() == Shape{2, 3, 2});
  CHECK(stack({a, b, a}, 1).at({1, 1, 0}) == 30);
  CHECK(stack({a, b}, -1).at({1, 0, 1}) == 30);
  CHECK_THROWS_WITH(stack({a, a[0]}), "stack: shapes (2, 2) and (2) differ");
  CHECK_THROWS_WITH(stack({a}, 3), "stack: shape (1, 2, 2) has 3 axes, there is no axis 3");
}

TEST_CASE("tensor: what an op returns has memory of its own, also where the op changes nothing") {
  const Tensor zeros = Tensor::zeros({2, 3}), ones = Tensor::ones({2, 3});
  Generator generator(1);
  const std::vector<Id> both_rows = {0, 1}, places = {0, 0, 0, 1, 1, 1};
  const Shape shape_23 = {2, 3};
  const std::vector<Index> once = {1, 1};
  const std::initializer_list<int> in_order = {0, 1}, outer = {0, 2};
  const struct {
    const char* call;
    Shape shape;
    std::function<Tensor(const Tensor&)> f;
  } cases[] = {
      {"repeat(scalar, {})", {}, [](const Tensor& x) { return repeat(x, {}); }},
      {"repeat", {2, 3}, [&](const Tensor& x) { return repeat(x, once); }},
      {"broadcast_to", {2, 3}, [&](const Tensor& x) { return broadcast_to(x, shape_23); }},
      {"broadcast_to a scalar", {}, [](const Tensor& x) { return broadcast_to(x, {}); }},
      {"permute", {2, 3}, [&](const Tensor& x) { return permute(x, in_order); }},
      {"permute a scalar", {}, [](const Tensor& x) { return permute(x, {}); }},
      {"transpose", {2, 3}, [](const Tensor& x) { return transpose(x, 1, 1); }},
      {"concat", {2, 3}, [](const Tensor& x) { return concat({x}, 0); }},
      {"stack", {2, 3}, [](const Tensor& x) { return stack({x}); }},
      {"slice", {2, 3}, [](const Tensor& x) { return slice(x, 0, 0, 2); }},
      {"chunk", {2, 3}, [](const Tensor& x) { return chunk(x, 1)[0]; }},
      {"select", {1, 3}, [](const Tensor& x) { return x[0]; }},
      {"sum", {}, [](const Tensor& x) { return sum(x); }},
      {"sum along an axis", {2, 1}, [](const Tensor& x) { return sum(x, 1); }},
      {"sum along axes", {1, 2, 1}, [&](const Tensor& x) { return sum(x, outer, true); }},
      {"mean", {2, 1}, [](const Tensor& x) { return mean(x, 1); }},
      {"max", {2, 1}, [](const Tensor& x) { return max(x, 1); }},
      {"min", {2, 1}, [](const Tensor& x) { return min(x, 1); }},
      {"masked_fill", {2, 3}, [&](const Tensor& x) { return masked_fill(x, zeros, 5); }},
      {"tril", {2, 3}, [](const Tensor& x) { return tril(x, 2); }},
      {"clamp", {2, 3}, [](const Tensor& x) { return clamp(x, -100, 100); }},
      {"where", {2, 3}, [&](const Tensor& x) { return where(ones, x, zeros); }},
      {"add", {2, 3}, [](const Tensor& x) { return x + 0; }},
      {"pow", {2, 3}, [](const Tensor& x) { return pow(x, 1); }},
      {"relu", {2, 3}, [](const Tensor& x) { return relu(x); }},
      {"dropout", {2, 3}, [&](const Tensor& x) { return dropout(x, 0, generator); }},
      {"embedding", {2, 3}, [&](const Tensor& x) { return embedding(x, both_rows, {2}); }},
      {"gather", {2, 3}, [&](const Tensor& x) { return gather(x, 0, places, shape_23); }},
      {"rope", {2, 4}, [](const Tensor& x) { return rope(x, rope_angles(2, 4), 0); }},
  };
  for (const auto& [call, shape, f] : cases) {
    INFO(call << " of shape " << shape);
    const Tensor values = Tensor::arange(shape.size()).reshape(shape) + 1;
    Tensor x = values.clone().require_gradient();
    Tape tape;
    const Tensor y = f(x);
    REQUIRE(y.size() == x.size());
    CHECK(std::ranges::equal(y.values(), values.values()));
    CHECK(y.data() != x.data());
    const Tensor dy = (values * 10).reshape(y.shape());
    tape.backward(y, dy);
    const Tensor dx = x.gradient().value();
    CHECK(std::ranges::equal(dx.values(), dy.values()));
    // Without a tape as well.
    const Tape::Pause pause;
    const Tensor again = f(x);
    std::ranges::fill(again.mutable_values(), real(-1));
    CHECK(std::ranges::equal(x.values(), values.values()));
  }
}
