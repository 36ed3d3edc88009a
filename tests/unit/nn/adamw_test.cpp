// AdamW and SGD against their formulas in double, at the sizes and magnitudes where an
// implementation in one pass over vectors could go wrong; groups, and parameters anywhere in
// memory.
#include "nn/adamw.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "nn/muon.h"
#include "nn/sgd.h"
#include "tests/unit/nn/optimizers.h"

using engine::Buffer;
using engine::Index;
using engine::real;
using engine::Tensor;
using nn::AdamW;
using nn::AdamWOptions;
using optimizers::all_values, optimizers::give_gradients;

namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();

struct Pair {
  Tensor matrix, vector;
  void reflect(nn::Reflector& r) {
    r("matrix", matrix);
    r("vector", vector);
  }
};

// Gradients of one sign, so that moments are sums without cancellation: 0.5 to 1.5 times `size`.
double gradient_of(int t, Index i, double size) {
  return size * (1 + 0.5 * std::sin(3 * t + double(i % 1000)));
}

// `steps` updates of a matrix (n, 1), which decays, and a vector (n), which does not, checked after
// each. Gradients are `size` in magnitude and are not clipped.
void check_updates(Index n, int steps, double size, const AdamWOptions& o) {
  Pair model{Tensor::zeros({n, 1}).require_gradient(), Tensor::zeros({n}).require_gradient()};
  std::vector<double> p, m(std::size_t(2 * n)), v(std::size_t(2 * n));
  for (Index i = 0; i < 2 * n; ++i) {
    const auto value = real(1 + double(i % 7) / 8);
    (i < n ? model.matrix : model.vector).mutable_data()[i % n] = value;
    p.push_back(double(value));
  }
  const nn::FlatParameters flat(model);
  AdamW adamw(nn::decay_matrices(nn::tensors(model)), o);
  double moved = 0;  // an upper bound
  for (int t = 1; t <= steps; ++t) {
    std::vector<real> g;
    for (Index i = 0; i < 2 * n; ++i) g.push_back(real(gradient_of(t, i, size)));
    const auto half = g.begin() + n;
    model.matrix.gradient().accumulate(Tensor::of({n, 1}, std::vector<real>(g.begin(), half)));
    model.vector.gradient().accumulate(Tensor::of({n}, std::vector<real>(half, g.end())));
    const double lr = 0.1;
    adamw.step(lr);
    // Each moment is a sum of t terms of one sign, so it, its root and the quotient are off by
    // fewer than 5 t + 15 roundings; the update is at most 10 lr in all. The weight itself, below
    // 2 + what it has moved, is rounded three times a step.
    moved += 10 * lr;
    const double allowed = eps * (moved * (5 * t + 15) + 3 * t * (2 + moved));
    for (Index i = 0; i < 2 * n; ++i) {
      const auto k = std::size_t(i);
      const double gradient = double(g[k]);
      m[k] = o.beta1 * m[k] + (1 - o.beta1) * gradient;
      v[k] = o.beta2 * v[k] + (1 - o.beta2) * gradient * gradient;
      if (i < n) p[k] -= lr * o.weight_decay * p[k];
      p[k] -= lr * (m[k] / (1 - std::pow(o.beta1, t))) /
              (std::sqrt(v[k] / (1 - std::pow(o.beta2, t))) + o.epsilon);
      const double now = double((i < n ? model.matrix : model.vector).data()[i % n]);
      if (!(std::abs(now - p[k]) <= allowed)) {
        INFO("update " << t << " of " << n << " + " << n << " weights, gradients near " << size
                       << ": weight " << i << " is " << now << ", expected " << p[k] << " within "
                       << allowed);
        REQUIRE(std::abs(now - p[k]) <= allowed);
      }
    }
  }
  CHECK(adamw.steps() == steps);
}

}  // namespace

TEST_CASE("AdamW: epsilon is added after the bias correction, where it matters") {
  // At 1e-8 epsilon halves every update; divided by the bias correction 1 - beta2 of the first
  // step, under the root, it would be 3 to 10 times as large or small.
  for (const double beta2 : {0.9, 0.99, 0.999})
    for (const double size : {1e-9, 1e-8, 1e-7, 1e-3})
      check_updates(9, 4, size, {.beta2 = beta2, .weight_decay = 0.1, .grad_clip = 0});
}

TEST_CASE("AdamW: parameters below and above the 16,384 weights of a thread's range") {
  for (const int threads : {1, 2})
    for (const Index n : {16383, 16384, 16385, 70000}) {
      const ScopedThreads scoped(threads);
      INFO(threads << " threads");
      check_updates(n, 2, 0.1, {.weight_decay = 0.1, .grad_clip = 0});
    }
}

TEST_CASE("AdamW: only a gradient longer than grad_clip is scaled, and to that length") {
  // beta1 = 0: the first moment is the clipped gradient.
  for (const double length : {0.5, 0.999, 1.0, 1.001, 50.0}) {
    Pair model{Tensor::zeros({2, 2}).require_gradient(), Tensor::zeros({1}).require_gradient()};
    AdamW adamw(nn::tensors(model), {.beta1 = 0});  // by default to a norm of 1
    const double part = length / std::sqrt(5.0);
    model.matrix.gradient().accumulate(Tensor::full({2, 2}, real(part)));
    model.vector.gradient().accumulate(Tensor::full({1}, real(part)));
    CHECK(adamw.step(0.1) == Approx(length).epsilon(4 * eps));
    const double expected = part * std::min(1.0, 1 / (length + 1e-6));
    for (const real moment :
         {adamw.first_moment(0)[0], adamw.first_moment(0)[3], adamw.first_moment(1)[0]}) {
      INFO("length " << length);
      CHECK(double(moment) == Approx(expected).epsilon(4 * eps));
    }
  }
}

// --- groups, and parameters anywhere ------------------------------------------------------------

namespace {

// Parameters of sizes below, at and above those of vectors and of threads' ranges.
const std::vector<engine::Shape> odd_shapes = {{3, 5}, {1}, {17}, {4, 4}, {0}, {}, {7}, {129, 257}};

std::vector<Tensor> loose_parameters() { return optimizers::parameters(odd_shapes); }

}  // namespace

TEMPLATE_TEST_CASE("AdamW, SGD: where the parameters lie, and how many threads, changes no bit", "",
                   AdamW, nn::SGD) {
  optimizers::check_same_bits(odd_shapes, 3, [](const auto& list) {
    return TestType(nn::decay_matrices(list), {.weight_decay = 0.1, .grad_clip = 1});
  });
}

TEMPLATE_TEST_CASE("AdamW, SGD: nothing is written beside a parameter", "", AdamW, nn::SGD) {
  for (const Index n : {1, 3, 15, 16, 17, 31})
    optimizers::check_nothing_beside(
        {n}, true, [](const Tensor& p) { return TestType(std::vector<Tensor>{p}, {}); });
}

TEMPLATE_TEST_CASE("AdamW, SGD: each group has its own options", "", AdamW, nn::SGD) {
  optimizers::check_groups<TestType>(odd_shapes);
}

TEMPLATE_TEST_CASE("optimizer: a group's decay of 0 is none, whatever the others have", "", AdamW,
                   nn::SGD, nn::Muon) {
  const Tensor bias = Tensor::ones({2, 3}).require_gradient(),
               weight = Tensor::ones({2, 3}).require_gradient();
  TestType optimizer({{{bias}, 0.0}, {{weight}}}, {.weight_decay = 0.5});
  for (const Tensor& p : {bias, weight}) p.gradient().accumulate(Tensor::zeros({2, 3}));
  optimizer.step(0.1);
  CHECK(bias.values()[0] == 1);
  CHECK(double(weight.values()[0]) == Approx(0.95));
}

TEMPLATE_TEST_CASE("optimizer: what no loss has reached is left alone, its moments too", "", AdamW,
                   nn::SGD, nn::Muon) {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<TestType>);
  const Tensor p = Tensor::ones({2, 3}).require_gradient();
  const auto values = [&p] { return std::vector<real>(p.values().begin(), p.values().end()); };
  const Tensor other = Tensor::ones({2, 3}).require_gradient();
  TestType optimizer(std::vector{other, p}, {.weight_decay = 0.5});
  for (const bool reached : {false, true, false}) {
    const std::vector<real> before = values();
    other.gradient().accumulate(Tensor::ones({2, 3}));
    if (reached) p.gradient().accumulate(Tensor::zeros({2, 3}));  // decays
    optimizer.step(0.1);
    CHECK((values() == before) == !reached);
  }
}

TEST_CASE("optimizer: the norm of gradients with squares that overflow or underflow") {
  using Limits = std::numeric_limits<real>;
  for (const real size : {Limits::max(), std::sqrt(Limits::max()), real(1),
                          std::sqrt(Limits::min()), Limits::min(), Limits::denorm_min()}) {
    const Tensor x = Tensor::ones({7}).require_gradient(), y = Tensor::ones({2}).require_gradient();
    x.gradient().accumulate(Tensor::full({7}, size));
    y.gradient().accumulate(Tensor::full({2}, -size));
    const double norm = nn::gradient_norm(std::vector{x, y});
    if (sizeof(real) == 4 || size < Limits::max())  // 3 times the largest double is none
      CHECK(norm == Approx(3 * double(size)).epsilon(4 * eps));
  }
}

TEST_CASE("optimizer: nanoGPT's groups, in the order of the parameters") {
  std::vector<Tensor> list = loose_parameters();
  for (const engine::Shape& shape : {engine::Shape{1, 2, 2}, engine::Shape{2, 1, 1, 2}})
    list.push_back(Tensor::ones(shape).require_gradient());
  const auto groups = nn::decay_matrices(list);
  std::vector<Tensor> order;
  for (const auto& group : groups)
    for (const Tensor& t : group.parameters) {
      CHECK(group.weight_decay == (t.shape().rank() >= 2 ? std::nullopt : std::optional(0.0)));
      order.push_back(t);
    }
  CHECK(groups.size() ==
        5);  // (3, 5); (1) and (17); (4, 4); (0), () and (7); (129, 257) and the rest
  CHECK(all_values(order) == all_values(list));
  CHECK(nn::decay_matrices({}).empty());
}

TEMPLATE_TEST_CASE("AdamW, SGD: a norm that is not finite changes nothing", "", AdamW, nn::SGD) {
  optimizers::check_norms_not_finite<TestType>(odd_shapes);
}

TEST_CASE("optimizer: parameters that cannot be trained are refused") {
  const Tensor x = Tensor::ones({2, 3}).require_gradient();
  CHECK_THROWS_WITH(
      AdamW({x, Tensor::ones({4})}, {}),
      "AdamW: parameter 1 of shape (4) has no gradient; require_gradient() makes it a "
      "parameter");
  CHECK_THROWS_WITH(nn::SGD({Tensor()}), Catch::StartsWith("SGD: parameter 0 of shape (0) has no"));
  CHECK_THROWS_WITH(AdamW({{{x}}, {{Tensor::ones({1}).require_gradient(), x.reshape({6})}}}, {}),
                    "AdamW: parameters of shapes (2, 3) and (6) share memory: numbers 0 and 2");
  const Buffer block(10);
  std::fill_n(block.data(), 10, real(0));
  const Tensor a = Tensor::on(block.part(0, 6), {6}).require_gradient(),
               b = Tensor::on(block.part(5, 5), {5}).require_gradient(),
               c = Tensor::on(block.part(6, 4), {4}).require_gradient();
  CHECK_THROWS_WITH(nn::SGD({b, a}), Catch::Contains("share memory: numbers 1 and 0"));
  CHECK_NOTHROW(nn::SGD({c, a}));
}

TEST_CASE("SGD: momentum, decay and clipping by the formula") {
  const std::vector<Tensor> list = loose_parameters();
  std::vector<double> p, v;
  for (const real x : all_values(list)) p.push_back(double(x)), v.push_back(0);
  nn::SGD sgd(list, {.momentum = 0.9, .weight_decay = 0.01, .grad_clip = 2});
  for (int t = 0; t < 4; ++t) {
    give_gradients(list, t);
    std::vector<double> g;
    std::vector<bool> reached;
    long double squares = 0;
    for (const Tensor& x : list) {
      const Tensor dx = x.gradient().value();
      for (const real d : dx.values()) {
        g.push_back(double(d));
        reached.push_back(x.gradient().written());
        squares += static_cast<long double>(d) * d;
      }
    }
    const double norm = sgd.step(0.1);
    CHECK(norm == Approx(double(std::sqrt(squares))).epsilon(70 * eps));
    const std::vector<real> now = all_values(list);
    double off = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      v[i] = 0.9 * v[i] + g[i] * 2 / (norm + 1e-6) + 0.01 * p[i];
      if (reached[i]) p[i] -= 0.1 * v[i];
      off = std::max(off, std::abs(p[i] - double(now[i])) / (4 + std::abs(p[i])));
    }
    CHECK(off <= 8 * (t + 1) * eps);
  }
}
