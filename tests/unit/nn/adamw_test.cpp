// AdamW against its formulas in double, at the sizes and magnitudes where an implementation in one
// pass over flat memory could go wrong.
#include "nn/adamw.h"

#include <cmath>
#include <limits>
#include <vector>

#include "engine/base/thread_pool.h"
#include "tests/catch.h"

using engine::Index;
using engine::real;
using engine::Tensor;
using nn::AdamW;
using nn::AdamWOptions;

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
  Pair model{Tensor::zeros({n, 1}), Tensor::zeros({n})};
  std::vector<double> p, m(std::size_t(2 * n)), v(std::size_t(2 * n));
  for (Index i = 0; i < 2 * n; ++i) {
    const auto value = real(1 + double(i % 7) / 8);
    (i < n ? model.matrix : model.vector).mutable_data()[i % n] = value;
    p.push_back(double(value));
  }
  model.matrix.require_gradient();
  model.vector.require_gradient();
  const nn::FlatParameters flat(model);
  AdamW adamw(flat, o);
  double moved = 0;  // an upper bound
  for (int t = 1; t <= steps; ++t) {
    std::vector<real> g;
    for (Index i = 0; i < 2 * n; ++i) g.push_back(real(gradient_of(t, i, size)));
    const auto half = g.begin() + n;
    model.matrix.gradient().accumulate(Tensor::of({n, 1}, std::vector<real>(g.begin(), half)));
    model.vector.gradient().accumulate(Tensor::of({n}, std::vector<real>(half, g.end())));
    const double lr = 0.1;
    adamw.step(lr, 0);
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

TEST_CASE("AdamW: parameters on both sides of a thread's piece of 32,768 weights") {
  const int before = engine::thread_count();
  for (const int threads : {1, 2})
    for (const Index n : {32767, 32768, 32769, 70000}) {
      engine::set_thread_count(threads);
      INFO(threads << " threads");
      check_updates(n, 2, 0.1, {.weight_decay = 0.1, .grad_clip = 0});
    }
  engine::set_thread_count(before);
}

TEST_CASE("AdamW: only a gradient longer than grad_clip is scaled, and to that length") {
  // beta1 = 0: the first moment is the clipped gradient.
  for (const double length : {0.5, 0.999, 1.0, 1.001, 50.0}) {
    Pair model{Tensor::zeros({2, 2}), Tensor::zeros({1})};
    model.matrix.require_gradient();
    model.vector.require_gradient();
    const nn::FlatParameters flat(model);
    AdamW adamw(flat, {.beta1 = 0, .grad_clip = 1});
    const double part = length / std::sqrt(5.0);
    model.matrix.gradient().accumulate(Tensor::full({2, 2}, real(part)));
    model.vector.gradient().accumulate(Tensor::full({1}, real(part)));
    const double norm = adamw.gradient_norm();
    CHECK(norm == Approx(length).epsilon(4 * eps));
    adamw.step(0.1, norm);
    const double expected = part * std::min(1.0, 1 / (length + 1e-6));
    for (const Index i : {Index(0), Index(3), flat.entries()[1].offset}) {
      INFO("length " << length << ", weight " << i);
      CHECK(double(adamw.first_moment()[i]) == Approx(expected).epsilon(4 * eps));
    }
  }
}
