// Muon against plain loops in double; and that the singular values of its updates are near 1.
#include "nn/muon.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/engine/matrix.h"
#include "tests/unit/nn/optimizers.h"

using engine::Buffer;
using engine::Index;
using engine::real;
using engine::Shape;
using engine::Tensor;
using in_double::length, in_double::Matrix, in_double::matrix_of, in_double::transposed;
using nn::Muon;
using nn::MuonOptions;
using optimizers::all_values, optimizers::random;

namespace {

constexpr double eps = std::numeric_limits<real>::epsilon();

// muon.h's steps, and the largest singular value that each may meet.
struct Step {
  double a, b, c, largest;
  double operator()(double s) const { return a * s + b * s * s * s + c * s * s * s * s * s; }
  double slope(double s) const { return a + 3 * b * s * s + 5 * c * s * s * s * s; }
};
constexpr Step steps[] = {{8.0934, -23.6204, 17.4462, 1},
                          {3.6366, -2.7219, 0.5365, 1.9192},
                          {2.6613, -1.9772, 0.4526, 1.7075}};

// The definition in muon.h's words.
Matrix orthogonal(Matrix x) {
  if (x.rows > x.cols) return transposed(orthogonal(transposed(x)));
  const double norm = length(x) + 1e-7;
  for (double& v : x.values) v /= norm;
  const double square = length(x * transposed(x)) + 1e-7;
  for (double& v : x.values) v /= std::sqrt(square);
  for (const Step& step : steps) {
    const Matrix a = x * transposed(x);
    Matrix b = step.b * a + step.c * (a * a);
    for (Index i = 0; i < b.rows; ++i) b(i, i) += step.a;
    x = b * x;
  }
  return x;
}

// By one-sided Jacobi rotations: rows are turned against each other until all are orthogonal; their
// lengths are then the singular values.
std::vector<double> singular_values(Matrix x) {
  if (x.rows > x.cols) x = transposed(x);
  for (int sweep = 0; sweep < 30; ++sweep)
    for (Index p = 0; p < x.rows; ++p)
      for (Index q = p + 1; q < x.rows; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (Index j = 0; j < x.cols; ++j)
          pp += x(p, j) * x(p, j), qq += x(q, j) * x(q, j), pq += x(p, j) * x(q, j);
        if (pq == 0) continue;
        const double angle = 0.5 * std::atan2(2 * pq, pp - qq);
        for (Index j = 0; j < x.cols; ++j) {
          const double u = x(p, j), v = x(q, j);
          x(p, j) = std::cos(angle) * u + std::sin(angle) * v;
          x(q, j) = std::cos(angle) * v - std::sin(angle) * u;
        }
      }
  std::vector<double> lengths;
  for (Index i = 0; i < x.rows; ++i) {
    double squares = 0;
    for (Index j = 0; j < x.cols; ++j) squares += x(i, j) * x(i, j);
    lengths.push_back(std::sqrt(squares));
  }
  std::ranges::sort(lengths);
  return lengths;
}

// How far, in the Frobenius norm over the root of n, the iteration in real may be from that in
// exact numbers. A step multiplies a difference by at most the largest slope of the polynomial. The
// singular values of its B = a I + b A + c A A are at most |a| + |b| s^2 + c s^4, where s is the
// largest singular value of its input. A step's own roundings, as many as the longer side m in a
// sum, which add up like a random walk, are then sqrt(m) + 3 of |B| times s; 6 come from the
// momentum and the two norms.
double allowed_of_iteration(Index m) {
  double amplified = 0, of_input = 6;
  for (const Step& step : steps) {
    double steepest = 0;
    for (int i = 0; i <= 1000; ++i)
      steepest = std::max(steepest, std::abs(step.slope(step.largest * i / 1000)));
    const double s = step.largest, b = step.a + std::abs(step.b) * s * s + step.c * s * s * s * s;
    amplified = steepest * amplified + b * s * (std::sqrt(double(m)) + 3);
    of_input *= steepest;
  }
  return eps * (amplified + of_input);
}

// The update of a zero matrix by this gradient, over lr and the root mean square: orthogonal(g).
Matrix direction(const Tensor& gradient) {
  Tensor p = Tensor::zeros(gradient.shape()).require_gradient();
  p.gradient().accumulate(gradient.clone());
  Muon(std::vector<Tensor>{p}, {.momentum = 0, .weight_decay = 0}).apply(1, 1);
  Matrix m = matrix_of(p);
  for (double& x : m.values) x /= -0.2 * std::sqrt(double(std::max(m.rows, m.cols)));
  return m;
}

// More than threads; a test has also one matrix, of a size that occupies several.
const std::vector<Shape> many_matrices = {{3, 5}, {64, 40}, {1, 17},  {40, 64},
                                          {0, 4}, {4, 0},   {30, 30}, {2, 3}};

}  // namespace

TEST_CASE("Muon: momentum, iteration, scale and decay by the formula") {
  const MuonOptions o{.momentum = 0.95, .weight_decay = 0.1};
  for (const Shape& shape :
       {Shape{1, 1}, Shape{1, 7}, Shape{7, 1}, Shape{3, 5}, Shape{5, 3}, Shape{16, 16},
        Shape{33, 20}, Shape{20, 70}, Shape{48, 48}, Shape{129, 17}}) {
    INFO("shape (" << shape[0] << ", " << shape[1] << ")");
    Tensor p = random(shape, 1).require_gradient();
    Muon muon(std::vector<Tensor>{p}, o);
    Matrix w = matrix_of(p), m{shape[0], shape[1]};
    const double n = double(std::min(w.rows, w.cols)), longer = double(std::max(w.rows, w.cols));
    double allowed = 0;
    for (int t = 1; t <= 4; ++t) {
      const Tensor gradient = random(shape, 10 + t);
      p.gradient().accumulate(gradient.clone());
      const double lr = 0.03 * t, scale = 0.7 / t;
      muon.apply(lr, scale);
      const Matrix new_part = 0.05 * scale * matrix_of(gradient);
      m = 0.95 * m + new_part;
      w = (1 - lr * 0.1) * w + -lr * 0.2 * std::sqrt(longer) * orthogonal(0.95 * m + new_part);
      // After t steps M is off by t roundings; and the weights are rounded three times a step.
      allowed += lr * 0.2 * std::sqrt(longer * n) *
                     (allowed_of_iteration(Index(longer)) + t * eps * 1200) +
                 3 * eps * length(w);
      INFO("update " << t);
      CHECK(length(matrix_of(p) + -1 * w) <= allowed);
    }
    for (std::size_t i = 0; i < m.values.size(); ++i)
      CHECK(double(muon.first_moment(0)[i]) == Approx(m.values[i]).epsilon(1e-5).margin(20 * eps));
    CHECK_FALSE(p.gradient().written());
  }
}

TEST_CASE("Muon: each step brings its interval as near to 1 as the next expects") {
  // A best polynomial misses 1 by the same length, to either side in turn, at four places; two of
  // them are the ends (Chebyshev).
  double smallest = 0.01;
  for (const Step& step : steps) {
    INFO("from " << smallest << " to " << step.largest);
    std::vector<double> misses;
    for (int i = 0; i <= 100000; ++i) {
      const double s = smallest + (step.largest - smallest) * i / 100000, miss = step(s) - 1;
      if (misses.empty() || miss * misses.back() < 0)
        misses.push_back(miss);
      else if (std::abs(miss) > std::abs(misses.back()))
        misses.back() = miss;
    }
    REQUIRE(misses.size() == 4);
    // To the four digits of the coefficients, which s^5 multiplies by 29 at most.
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(misses[i] == Approx(i % 2 ? -misses[0] : misses[0]).margin(3e-3));
    if (&step + 1 != std::end(steps))
      CHECK((&step)[1].largest == Approx(1 - misses[0]).margin(3e-3));
    smallest = 1 + misses[0];
  }
  CHECK(smallest == Approx(0.730).margin(1e-3));
}

TEST_CASE("Muon: the singular values of an update are near 1, whatever those of the gradient") {
  for (const Shape& shape :
       std::vector<Shape>{{12, 40}, {40, 12}, {20, 20}, {1, 30}, {30, 1}, {33, 64}})
    for (const double size : {1e-4, 1.0, 1e6}) {
      Tensor gradient = random(shape, 5);
      for (real& x : gradient.mutable_values()) x *= real(size);
      const Matrix g = matrix_of(gradient);
      const std::vector<double> before = singular_values(g),
                                after = singular_values(direction(gradient));
      INFO("shape (" << shape[0] << ", " << shape[1] << "), gradients near " << size);
      // All that began at 1/100 of the fourth root of the sum of fourth powers or above; of a square
      // one, the smallest may not. Rounded coefficients leave another 0.002.
      double fourths = 0;
      for (const double s : before) fourths += std::pow(s, 4);
      const auto began = std::ranges::count_if(
          before, [&](double s) { return s >= 0.01 * std::pow(fourths, 0.25); });
      const double off = allowed_of_iteration(64) + 0.002;
      const auto are_near_1 = std::ranges::count_if(
          after, [&](double s) { return s >= 0.730 - off && s <= 1.270 + off; });
      CHECK(began >= std::ssize(before) - (shape[0] == shape[1] ? 1 : 0));
      CHECK(are_near_1 >= began);
      CHECK(after.back() <= 1.270 + off);
    }
}

TEST_CASE("Muon: gradients of rank 0 and 1 leave no NaN") {
  for (const Shape& shape : std::vector<Shape>{{6, 6}, {4, 9}, {9, 4}}) {
    for (const double x : direction(Tensor::zeros(shape)).values) CHECK(x == 0);
    // All ones: u v^T with one singular value, the others 0 or what roundings make of it.
    const Matrix one = direction(Tensor::ones(shape));
    // That one ends at 1.269. The others, a few eps, grow by 78 in all.
    CHECK(singular_values(one).back() == Approx(1.269).margin(0.001 + 10 * 1200 * eps));
    CHECK(length(one) == Approx(1.269).margin(0.002 + 10 * 1200 * eps));
    // So small that its square is 0: hardly any update, and no NaN.
    for (const double x : direction(Tensor::full(shape, real(1e-30))).values)
      CHECK(std::abs(x) < 1e-10);
  }
}

TEST_CASE("Muon: stacked matrices are updated as if each were a parameter of its own") {
  const std::vector<Index> rows = {5, 2, 0, 9};
  const Index cols = 6, all = 16;
  Tensor stacked = random({all, cols}, 1).require_gradient();
  std::vector<Tensor> apart;
  Index row = 0;
  for (const Index n : rows) {
    apart.push_back(Tensor::of({n, cols}, stacked.values().subspan(std::size_t(row * cols),
                                                                   std::size_t(n * cols)))
                        .require_gradient());
    row += n;
  }
  Muon one({{.parameters = {stacked}, .parts = rows}}, {}), each(apart, {});
  Tensor as_one = stacked.clone().require_gradient();
  Muon whole(std::vector<Tensor>{as_one}, {});
  for (int t = 0; t < 3; ++t) {
    const Tensor g = random({all, cols}, 20 + t);
    stacked.gradient().accumulate(g.clone());
    as_one.gradient().accumulate(g.clone());
    row = 0;
    for (const Tensor& p : apart) {
      const Index n = p.shape()[0];
      p.gradient().accumulate(Tensor::of(
          {n, cols}, g.values().subspan(std::size_t(row * cols), std::size_t(n * cols))));
      row += n;
    }
    one.apply(0.1, 0.5);
    each.apply(0.1, 0.5);
    whole.apply(0.1, 0.5);
  }
  CHECK(all_values({stacked}) == all_values(apart));
  CHECK(all_values({stacked}) != all_values({as_one}));
}

TEST_CASE("Muon: where parameters lie, and how many threads, changes no bit") {
  for (const std::vector<Shape>& shapes : {many_matrices, std::vector<Shape>{{260, 310}}})
    optimizers::check_same_bits(shapes, shapes.size(),
                                [](const auto& list) { return Muon(list, {.grad_clip = 1}); });
}

TEST_CASE("Muon: nothing is written beside a parameter") {
  for (const Index n : {1, 3, 15, 16, 17})
    optimizers::check_nothing_beside({3, n}, false, [](const Tensor& p) {
      return Muon({{.parameters = {p}, .parts = {1, 2}}}, {});
    });
}

TEST_CASE("Muon: groups have rates and decays of their own") {
  optimizers::check_groups<Muon>(many_matrices);
}

TEST_CASE("Muon: a norm that is not finite changes nothing") {
  optimizers::check_norms_not_finite<Muon>(many_matrices);
}

TEST_CASE("Muon: memory for an update, of each thread while there are enough matrices") {
  const Shape shapes[] = {{96, 32}, {32, 128}};
  constexpr Index largest = 32 * 128, square = 32 * 32;
  const auto threads_of = [&](int threads, Index matrices) {
    const ScopedThreads scoped(threads);
    return double(Muon::scratch_size(shapes, matrices)) / double(largest + 4 * square);
  };
  CHECK(threads_of(1, 7) == 1);
  CHECK(threads_of(3, 7) == 3);
  CHECK(threads_of(3, 3) == 3);
  CHECK(threads_of(8, 2) == 8);
  CHECK(threads_of(9, 2) == 1);  // all threads for one matrix after another
}

TEST_CASE("Muon: parameters that are not the matrices they should be are refused") {
  const Tensor x = Tensor::ones({6, 4}).require_gradient(),
               vector = Tensor::ones({6}).require_gradient(),
               cube = Tensor::ones({6, 2, 2}).require_gradient();
  const auto parts = [&](std::vector<Index> rows) {
    return Muon({{.parameters = {x}, .parts = std::move(rows)}});
  };
  CHECK_THROWS_WITH(Muon({x, vector}),
                    "Muon: parameter 1 of shape (6) has 1 axes, expected a matrix");
  CHECK_THROWS_WITH(Muon(std::vector<Tensor>{cube}),
                    "Muon: parameter 0 of shape (6, 2, 2) has 3 axes, expected a matrix");
  CHECK_THROWS_WITH(parts({2, 3}),
                    "Muon: parameter 0 of shape (6, 4): its parts have 5 rows in all, expected 6");
  CHECK_THROWS_WITH(parts({4, 3}),
                    "Muon: parameter 0 of shape (6, 4): a part of 3 rows, but 2 rows left");
  CHECK_THROWS_WITH(parts({-1, 7}), Catch::EndsWith("a part of -1 rows, but 6 rows left"));
  CHECK_THROWS_WITH(Muon({Tensor::ones({2, 2})}), Catch::Contains("has no gradient"));
  CHECK_NOTHROW(parts({6, 0}));
}
