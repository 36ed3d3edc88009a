// Results and derivatives where formulas divide by zero, overflow or lose all digits. The
// conventions are PyTorch's.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/attention.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/catch.h"
#include "tests/gradient/composed.h"
#include "tests/unit/engine/plain_loops.h"

using namespace engine;

namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

struct Result {
  Tensor y, dx;
};

// f at x, and the gradient of its elements' sum weighed with 1, 2, 3, ...
template <class F>
Result run(F f, const Tensor& values) {
  const Tensor x = values.clone().require_gradient();
  Tape tape;
  const Tensor y = f(x);
  tape.backward(y, Tensor::arange(y.size()).reshape(y.shape()) + 1);
  return {y, x.gradient().value()};
}

bool is_finite(const Tensor& x) {
  return std::ranges::all_of(x.values(), [](real value) { return std::isfinite(value); });
}

// The derivative of f at one number.
template <class F>
real slope(F f, real x) {
  return run(f, Tensor::of({x})).dx.item();
}

}  // namespace

TEST_CASE("numerics: saturated activations have derivative 0 or 1, never NaN") {
  const std::pair<Tensor (*)(const Tensor&), real> functions[] = {
      {tanh, 0}, {sigmoid, 0}, {relu, 1}, {gelu, 1}, {gelu_tanh, 1}, {silu, 1}};
  for (const auto& [f, above] : functions)
    for (const real x : {real(1e4), real(3e38), infinity}) {
      INFO("x = +-" << x);
      CHECK(slope(f, x) == above);
      CHECK(slope(f, -x) == 0);
    }
  CHECK(slope([](const Tensor& x) { return exp(x); }, -infinity) == 0);
  CHECK(slope([](const Tensor& x) { return exp(x); }, real(-1e4)) == 0);
}

TEST_CASE("numerics: rows of equal values") {
  for (const real value : {real(0), real(-2.5), real(1e4), real(1e18)}) {
    const Tensor x = Tensor::full({2, 5}, value);
    INFO("all " << value);
    const Tensor weight = Tensor::of({1, 2, 3, 4, 5}), bias = Tensor::of({-1, 0, 1, 2, 3});
    const Result normed = run([&](const Tensor& t) { return layer_norm(t, weight, bias); }, x);
    // The mean of equal values is that value, so what is left is the bias.
    for (Index i = 0; i < 10; ++i) CHECK(normed.y.data()[i] == bias.data()[i % 5]);
    CHECK(is_finite(normed.dx));
    const Result spread = run([](const Tensor& t) { return variance(t, -1); }, x);
    CHECK(spread.y.at({1}) == 0);
    for (const real d : spread.dx.values()) CHECK(d == 0);
    const Result highest = run([](const Tensor& t) { return max(t, -1); }, x);
    CHECK(highest.dx.at({1, 0}) == 2);  // the first of equals
    CHECK(highest.dx.at({1, 1}) == 0);
  }
  // The distance from a vector to itself.
  const auto norm = [](const Tensor& t) { return sqrt(sum(t * t)); };
  CHECK(std::isnan(slope(norm, 0)));  // 0/0, as in PyTorch
}

TEST_CASE("numerics: the standard deviation of equal values has a gradient of 0, as in PyTorch") {
  const Tensor x = Tensor::of({{2, 2, 2}, {1, 2, 3}}).require_gradient();
  Tape tape;
  tape.backward(sum(standard_deviation(x, 1)));
  CHECK(plain::list(x.gradient().value()) == plain::Numbers{0, 0, 0, -0.5, 0, 0.5});
}

TEST_CASE("numerics: variance of fewer values than the correction needs") {
  CHECK(std::isnan(variance(Tensor::ones({3, 1}), 1).at({0})));
  CHECK(variance(Tensor::ones({3, 1}), 1, false, 0).at({0}) == 0);
  for (const auto f : {variance, composed::variance}) {
    CHECK(std::isnan(f(Tensor::zeros({2, 0}), 1, false, 1).at({0})));
    CHECK(f(Tensor::of({1, 2}), 0, false, 5).item() == infinity);
    CHECK(std::isnan(f(Tensor::of({2, 2}), 0, false, 5).item()));
  }
  CHECK(standard_deviation(Tensor::of({1, 2}), 0, false, 5).item() == infinity);
  CHECK(std::isnan(standard_deviation(Tensor::zeros({2, 0}), 1).at({0})));
  CHECK(std::isnan(mean(Tensor::zeros({2, 0}), 1).at({0})));
  CHECK(std::isnan(mean_squared_error(Tensor::zeros({0}), Tensor::zeros({0})).item()));
}

TEST_CASE("numerics: softmax and cross-entropy of extreme logits") {
  const auto row = [](std::initializer_list<real> values) {
    return Tensor::of({1, static_cast<Index>(values.size())}, values);
  };
  struct Extreme {
    Tensor x;
    Index chosen;  // takes all of the probability
  };
  for (const auto& [x, chosen] :
       {Extreme{row({1e4, -1e4, 0}), 0}, Extreme{row({-1e4, 1e4, -1e4, -1e4, 9e3}), 1},
        Extreme{row({real(3e38), real(-3e38), 0}), 0},
        Extreme{row({real(-3e38), real(-3e38), real(-1e38)}), 2},
        Extreme{row({-infinity, -infinity, 4, -infinity}), 2}, Extreme{row({real(-3e38)}), 0}}) {
    const Result p = run([](const Tensor& t) { return softmax(t); }, x);
    const Result log_p = run([](const Tensor& t) { return log_softmax(t); }, x);
    INFO("chosen " << chosen << " of " << x.size());
    for (Index i = 0; i < x.size(); ++i) {
      CHECK(p.y.data()[i] == (i == chosen ? 1 : 0));
      CHECK(p.dx.data()[i] == 0);
      CHECK((i == chosen ? log_p.y.data()[i] == 0 : log_p.y.data()[i] <= -1000));
    }
    CHECK(is_finite(log_p.dx));
    for (Index target = 0; target < x.size(); ++target) {
      const std::vector<std::int32_t> targets = {static_cast<std::int32_t>(target)};
      const Result loss = run([&](const Tensor& t) { return cross_entropy(t, targets); }, x);
      CHECK((target == chosen ? loss.y.item() == 0 : loss.y.item() >= 1000));
      for (Index i = 0; i < x.size(); ++i)
        CHECK(loss.dx.data()[i] == real(i == chosen) - real(i == target));
    }
  }
}

TEST_CASE("numerics: softmax of equal logits is uniform at any height") {
  for (const real value : {real(0), real(1e4), real(-1e4), real(3e38), real(-3e38)}) {
    const Tensor x = Tensor::full({2, 8}, value);
    const Result p = run([](const Tensor& t) { return softmax(t); }, x);
    for (const real y : p.y.values()) CHECK(y == real(0.125));
    CHECK(is_finite(p.dx));
    const std::vector<std::int32_t> targets = {3, -1};
    const Tensor loss = cross_entropy(x, targets);
    CHECK(std::abs(double(loss.item()) - std::log(8.0)) < 1e-6);
  }
}

TEST_CASE("numerics: layer_norm of values with squares that overflow is the bias") {
  const real large = 5 * std::sqrt(std::numeric_limits<real>::max());  // 9e19 as a float
  const Tensor weight = Tensor::of({1, 2, 3}), bias = Tensor::of({-1, 0, 1});
  for (const auto f : {layer_norm, composed::layer_norm}) {
    const Result normed = run([&](const Tensor& t) { return f(t, weight, bias, 1e-5); },
                              Tensor::of({1, 3}, {large, -large, 0}));
    for (Index i = 0; i < 3; ++i) {
      CHECK(normed.y.data()[i] == bias.data()[i]);
      CHECK(normed.dx.data()[i] == 0);
    }
  }
}

TEST_CASE("numerics: a row that is masked completely") {
  const Tensor mask = Tensor::of({2, 2}, {1, 1, 0, 1}), x = Tensor::of({2, 2}, {1, 2, 3, 4});
  for (const auto f : {softmax, composed::softmax, log_softmax, composed::log_softmax}) {
    const Result p = run([&](const Tensor& t) { return f(masked_fill(t, mask, -infinity)); }, x);
    CHECK(std::isnan(p.y.at({0, 0})));
    CHECK(std::isnan(p.y.at({0, 1})));
    CHECK(p.y.at({1, 1}) <= 0);
    for (Index i = 0; i < 4; ++i)
      if (mask.data()[i] != 0) CHECK(p.dx.data()[i] == 0);
  }
}

TEST_CASE("numerics: no row that counts, no loss") {
  CHECK(std::isnan(cross_entropy(Tensor::ones({2, 3}), std::vector<std::int32_t>{-1, -1}).item()));
}

TEST_CASE("numerics: fused ops of no rows and of empty rows") {
  for (const Shape& shape : {Shape{0, 4}, Shape{3, 0}}) {
    const Tensor x = Tensor::zeros(shape), w = Tensor::ones({shape[1]}),
                 weight = Tensor::ones({2, shape[1]}), back = Tensor::ones({shape[1], 2});
    for (const Tensor& y : {softmax(x), log_softmax(x), layer_norm(x, w, w), rms_norm(x, w),
                            swiglu(x), feed_forward(x, Activation::gelu, weight, {}, back, {})})
      CHECK(y.size() == 0);
    CHECK(linear(x, weight).shape() == Shape{shape[0], 2});
  }
  for (const Shape& shape : {Shape{0, 3, 6}, Shape{2, 0, 6}, Shape{2, 3, 0}})
    CHECK(self_attention(Tensor::zeros(shape), 1).size() == 0);
  CHECK(rope(Tensor::zeros({0, 4}), rope_angles(1, 4), 1).size() == 0);
}

TEST_CASE("causal_mask: 1 where the column is greater than the row, square or not") {
  for (Index rows = 1; rows < 5; ++rows)
    for (Index cols = 1; cols < 5; ++cols) {
      const Tensor mask = causal_mask(rows, cols);
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < cols; ++j)
          CHECK(mask.values()[std::size_t(i * cols + j)] == (j > i ? 1 : 0));
    }
}

TEST_CASE("numerics: NaN is passed on, not hidden") {
  const real nan = std::numeric_limits<real>::quiet_NaN();
  const Tensor x = Tensor::of({1, nan, 3});
  CHECK(std::isnan(max(x).item()));
  CHECK(argmax(x)[0] == 1);
  CHECK(std::isnan(relu(x).at({1})));
  CHECK(std::isnan(sum(x).item()));
  const Tensor p = softmax(x);
  for (const real y : p.values()) CHECK(std::isnan(y));
  CHECK(std::isnan(cross_entropy(x.reshape({1, 3}), std::vector<std::int32_t>{0}).item()));
}

TEST_CASE("numerics: a norm that is given no epsilon takes 1e-5") {
  // With values this small, variance + epsilon is nearly epsilon.
  const Tensor x = Tensor::of({1, 2}, {1e-4, -2e-4}), ones = Tensor::ones({2});
  CHECK(engine::rms_norm(x, ones).at({0, 0}) == engine::rms_norm(x, ones, 1e-5).at({0, 0}));
  CHECK(engine::layer_norm(x, ones, {}).at({0, 0}) ==
        engine::layer_norm(x, ones, {}, 1e-5).at({0, 0}));
  CHECK(engine::rms_norm(x, ones).at({0, 0}) != engine::rms_norm(x, ones, 1.01e-5).at({0, 0}));
}
