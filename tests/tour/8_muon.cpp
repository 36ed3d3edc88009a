// Tour, 8 of 8: Muon in one page. What its iteration does to the singular values of a gradient.
//
// A matrix is G = U S V^T: it takes direction V_i to direction U_i, stretched by the singular value
// s_i. Gradient descent moves W along all these directions at once, each as far as its s_i says, so
// the few strong ones decide the learning rate, and the weak ones hardly move. Muon moves along
// U V^T: the same directions, each equally far.
//
// No U or V is needed for that. An odd polynomial of the matrix, a X + b (X X^T) X + c (X X^T)^2 X,
// has the same U and V and maps each s to a s + b s^3 + c s^5 (put in X = U S V^T, and U^T U = I).
// Three such steps bring every s between 0.01 and 1 to between 0.73 and 1.27. nn/muon.h explains
// the algorithm and names its sources; nn/muon.cpp computes only half of each symmetric product.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/ops.h"
#include "nn/muon.h"

using namespace engine;

namespace {

const std::vector<double> singular_values = {10, 5, 3, 2, 1, 0.5, 0.3, 0.2};
const Index n = ssize(singular_values);

// a, b, c of the three steps.
constexpr double steps[3][3] = {
    {8.0934, -23.6204, 17.4462}, {3.6366, -2.7219, 0.5365}, {2.6613, -1.9772, 0.4526}};

double step(const double (&abc)[3], double s) {
  return abc[0] * s + abc[1] * s * s * s + abc[2] * s * s * s * s * s;
}

// A random orthogonal matrix: the reflection I - 2 v v^T / (v^T v).
Tensor reflection(Generator& generator) {
  const Tensor v = Tensor::randn({n, 1}, generator);
  const Tensor ones = Tensor::ones({n, n}), identity = tril(ones) - tril(ones, -1);
  return identity - 2 * matmul(v, transpose(v)) / sum(v * v);
}

std::string bar(double s, double largest) {
  return std::string(static_cast<std::size_t>(std::lround(24 * s / largest)), '#');
}

}  // namespace

int main() {
  // Scaled so that sum s^4 = 1; then no s is above 1. (Muon does not know the s, but |X X^T|^2 is
  // the same sum.)
  double fourth = 0;
  for (const double s : singular_values) fourth += s * s * s * s;
  std::printf("singular values of a gradient, scaled, and after each of three steps:\n\n");
  std::printf("  scaled   1 step  2 steps  3 steps   before                    after\n");
  std::vector<double> mapped;
  for (const double s : singular_values) {
    double value = s / std::pow(fourth, 0.25);
    std::printf("  %6.4f", value);
    const std::string before = bar(value, 1);
    for (const auto& abc : steps) std::printf("  %7.4f", value = step(abc, value));
    std::printf("   %-24s  %s\n", before.c_str(), bar(value, 1.5).c_str());
    mapped.push_back(value);
  }

  // The same by nn::Muon: a gradient G = U S V^T, and one update of W = 0 without momentum.
  Generator generator(1);
  const Tensor u = reflection(generator), v = reflection(generator);
  Tensor s = Tensor::zeros({n, n});
  for (Index i = 0; i < n; ++i) s.set({i, i}, singular_values[static_cast<std::size_t>(i)]);
  Tensor w = Tensor::zeros({n, n});
  w.require_gradient();
  w.gradient().accumulate(matmul(matmul(u, s), transpose(v)));
  nn::Muon muon({w}, {.momentum = 0, .weight_decay = 0, .grad_clip = 0});
  // Undoes the factor 0.2 sqrt(n) of Muon's update, which is then U s V^T.
  const double lr = 1 / (0.2 * std::sqrt(static_cast<double>(n)));
  muon.apply(lr, 1);
  const Tensor found = matmul(matmul(transpose(u), -w), v);  // diagonal, if U and V were kept
  double largest = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      largest = std::max(largest, std::abs(static_cast<double>(found.at({i, j})) -
                                           (i == j ? mapped[static_cast<std::size_t>(i)] : 0)));
  std::printf(
      "\nU^T (update by nn::Muon) V is the diagonal matrix of the last numbers, up to 1e-4: %s\n",
      largest < 1e-4 ? "yes" : "NO");
  std::printf(
      "The gradient moves W 50 times as far along its first direction as along its last;\n"
      "Muon at most 1.74 times (1.27 / 0.73). It is for the matrices between an input and an\n"
      "output; embeddings, head, norms and biases are better off with AdamW.\n\n"
      "next: make exercise N=9\n");
}
