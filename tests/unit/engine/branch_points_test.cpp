// Derivatives where two branches of a function meet, or its formula has no value: central differences
// are wrong there, so gradcheck avoids such points. The numbers are those of PyTorch 2.6, in float64,
// except for the maximum of a whole tensor: PyTorch divides its gradient among equal maxima.
#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/text.h"
#include "engine/tape.h"
#include "tests/unit/engine/plain_loops.h"

using namespace plain;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Tensor tensor(const std::vector<double>& values) {
  return Tensor::of({std::ssize(values)}, std::vector<real>(values.begin(), values.end()));
}

// d sum(f(x)) / d x
std::vector<double> derivative(auto f, const std::vector<double>& values) {
  const Tensor x = tensor(values).require_gradient();
  Tape tape;
  tape.backward(sum(f(x)));
  return list(x.gradient().value());
}

using Unary = Tensor (*)(const Tensor&);  // chooses among overloads
std::vector<double> derivative(Unary f, const std::vector<double>& values) {
  return derivative<Unary>(f, values);
}

}  // namespace

TEST_CASE("derivatives where branches meet: abs, relu, relu2, clamp") {
  const Numbers around_0 = {-1, -0.0, 0, 1};
  CHECK(derivative(abs, around_0) == Numbers{-1, 0, 0, 1});
  CHECK(derivative(relu, around_0) == Numbers{0, 0, 0, 1});
  CHECK(derivative(relu2, around_0) == Numbers{0, 0, 0, 2});
  CHECK(derivative([](const Tensor& x) { return activate(Activation::relu, x); }, around_0) ==
        Numbers{0, 0, 0, 1});
  CHECK(derivative([](const Tensor& x) { return activate(Activation::relu2, x); }, around_0) ==
        Numbers{0, 0, 0, 2});
  CHECK(derivative([](const Tensor& x) { return clamp(x, -1, 1); }, {-2, -1, 0, 1, 2}) ==
        Numbers{0, 1, 1, 1, 0});
  CHECK(derivative([](const Tensor& x) { return clamp(x, 1, 1); }, {0, 1, 2}) == Numbers{0, 1, 0});
}

TEST_CASE("derivatives where branches meet: of equal extremes along an axis the first") {
  const auto of_max = [](const Tensor& x) { return max(x, 0); };
  const auto of_min = [](const Tensor& x) { return min(x, 0); };
  CHECK(derivative(of_max, {1, 3, 3, 2, 3}) == Numbers{0, 1, 0, 0, 0});
  CHECK(derivative(of_min, {1, 3, 1, 2, 1}) == Numbers{1, 0, 0, 0, 0});
  CHECK(derivative([](const Tensor& x) { return max(x); }, {1, 3, 3}) == Numbers{0, 1, 0});
  CHECK(derivative([](const Tensor& x) { return min(x); }, {3, 1, 1}) == Numbers{0, 1, 0});
}

TEST_CASE("derivatives where a formula has no value: powers, roots and logarithms of 0") {
  CHECK(derivative(sqrt, {0, 4}) == Numbers{inf, 0.25});
  CHECK(derivative(log, {0, 1}) == Numbers{inf, 1});
  const Numbers bases = {0, 0, 0, 0, -2, 2, 0}, exponents = {0, 1, 2, 0.5, 2, 0, -1};
  CHECK(derivative([&](const Tensor& x) { return pow(x, tensor(exponents)); }, bases) ==
        Numbers{0, 1, 0, inf, -4, 0, -inf});
  const Numbers of_exponents =
      derivative([&](const Tensor& x) { return pow(tensor(bases), x); }, exponents);
  for (int i = 0; i < 4; ++i) CHECK(of_exponents[std::size_t(i)] == 0);
  CHECK(std::isnan(of_exponents[4]));
  CHECK(of_exponents[5] == Approx(std::log(2.0)));
  const Tensor divisors = tensor({1, 2, 0}), dividends = tensor({0, 1});
  CHECK(derivative([&](const Tensor& x) { return x / divisors; }, {0, 0, 1}) ==
        Numbers{1, 0.5, inf});
  CHECK(derivative([&](const Tensor& x) { return dividends / x; }, {1, 0}) == Numbers{-0.0, -inf});
}
