// The ops that multiply matrices, in bfloat16 against float32 on inputs that bfloat16 holds
// exactly: results and gradients differ only because the op rounds a factor that it has computed
// itself, and because sums have another order. The tests bound both.
//
// u bounds the relative error of a rounded factor. A sum of n products of factors without error is
// off by n eps times the sum of their absolute values in each of the two precisions.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "engine/attention.h"
#include "engine/kernels/bfloat16.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/catch.h"
#include "tests/scoped_precision.h"
#include "tests/unit/engine/matrix.h"

using namespace engine;
using engine::kernels::Precision;
using in_double::absolute, in_double::map, in_double::Matrix, in_double::matrix_of,
    in_double::transposed;

namespace {

constexpr double u = 1.0 / 256, eps = std::numeric_limits<float>::epsilon();

// A bound for the error of a product of two exact matrices, in either precision.
Matrix sum_error(const Matrix& a, const Matrix& b) {
  return 2 * double(a.cols + 2) * eps * (absolute(a) * absolute(b));
}

Tensor rounded(const Shape& shape, std::uint64_t seed) {
  Generator generator(seed);
  Tensor x = Tensor::randn(shape, generator);
  for (Index i = 0; i < x.size(); ++i)
    x.mutable_data()[i] = kernels::plain::rounded(static_cast<float>(x.data()[i]));
  return x.require_gradient();
}

// y and then the gradients of the inputs, for the gradient dy of y, in both precisions.
struct Results {
  std::vector<Tensor> single, half;
};
Results run(const std::function<Tensor()>& f, const std::vector<Tensor>& inputs, const Tensor& dy) {
  const auto in = [&](Precision precision) {
    const ScopedPrecision scoped(precision);
    std::vector<Tensor> all;
    Tape tape;
    all.push_back(f());
    tape.backward(all[0], dy);
    for (const Tensor& x : inputs) {
      all.push_back(x.gradient().value());
      x.gradient().clear();
    }
    return all;
  };
  return {in(Precision::float32), in(Precision::bfloat16)};
}

void check_within(const char* what, const Tensor& single, const Tensor& half, const Matrix& bound,
                  Index first = 0) {
  const Matrix a = matrix_of(single, first, bound.cols), b = matrix_of(half, first, bound.cols);
  REQUIRE(a.values.size() == bound.values.size());
  double largest = 0;
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) {
      INFO(what << " (" << i << ", " << j << "): " << a(i, j) << " and " << b(i, j));
      const double difference = std::abs(a(i, j) - b(i, j));
      if (!(difference <= bound(i, j))) CHECK(difference <= bound(i, j));
      largest = std::max(largest, difference);
    }
  INFO(what);
  CHECK(largest > 0);  // bfloat16 was used
}

}  // namespace

TEST_CASE("bfloat16: feed_forward and its gradients") {
  // relu: its derivative does not change with a rounding, where h is not next to 0. Computed
  // factors: a in y and dW2, dh in dx and dW1.
  const Tensor x = rounded({19, 24}, 1), w1 = rounded({40, 24}, 2), w2 = rounded({22, 40}, 3),
               dy = rounded({19, 22}, 4);
  const auto [single, half] =
      run([&] { return feed_forward(x, Activation::relu, w1, {}, w2, {}); }, {x, w1, w2}, dy);
  const Matrix X = matrix_of(x), W1 = matrix_of(w1), W2 = matrix_of(w2), dY = matrix_of(dy);
  const Matrix h = X * transposed(W1), da = dY * W2;
  const Matrix h_error = sum_error(X, transposed(W1)), da_error = sum_error(dY, W2);
  for (Index i = 0; i < h.rows; ++i)
    for (Index j = 0; j < h.cols; ++j) REQUIRE(std::abs(h(i, j)) > h_error(i, j));
  const auto where_positive = [&](const Matrix& m) {
    return map(m.rows, m.cols, [&](Index i, Index j) { return h(i, j) > 0 ? m(i, j) : 0; });
  };
  const Matrix a = where_positive(h), dh = where_positive(da);
  const Matrix a_error = u * absolute(a) + 2 * where_positive(h_error),
               dh_error = u * absolute(dh) + 2 * where_positive(da_error);
  check_within("y", single[0], half[0],
               sum_error(a, transposed(W2)) + a_error * absolute(transposed(W2)));
  check_within("dx", single[1], half[1], sum_error(dh, W1) + dh_error * absolute(W1));
  check_within("dW1", single[2], half[2],
               sum_error(transposed(dh), X) + transposed(dh_error) * absolute(X));
  check_within("dW2", single[3], half[3],
               sum_error(transposed(dY), a) + transposed(absolute(dY)) * a_error);
}

TEST_CASE("bfloat16: attention and its gradients") {
  // Computed factors: P in O and dV, dS in dQ and dK. Names as in engine/ops/attention.cpp.
  const Index T = 70, H = 2, D = 16;  // two blocks of queries
  const double scale = 1 / std::sqrt(double(D));
  const Tensor qkv = rounded({1, T, 3 * H * D}, 1), d_o = rounded({1, T, H * D}, 2);
  const auto [single, half] = run([&] { return self_attention(qkv, {H, H}, 0); }, {qkv}, d_o);
  for (Index head = 0; head < H; ++head) {
    INFO("head " << head);
    const Matrix Q = matrix_of(qkv, head * D, D), K = matrix_of(qkv, (H + head) * D, D),
                 V = matrix_of(qkv, (2 * H + head) * D, D), dO = matrix_of(d_o, head * D, D);
    const Matrix S = Q * transposed(K);
    Matrix P{T, T};
    double p_error = 0;  // relative, of any weight: those of scores and of exp
    for (Index i = 0; i < T; ++i) {
      double total = 0, largest = 0;
      for (Index j = 0; j <= i; ++j) {
        total += P(i, j) = std::exp(scale * S(i, j));
        largest = std::max(largest, std::abs(scale * S(i, j)));
      }
      for (Index j = 0; j <= i; ++j) P(i, j) /= total;
      p_error = std::max(p_error, 8 * double(D + T) * eps * (1 + largest));
    }
    const Matrix p_wrong = (u + p_error) * P;
    const Matrix o_error = sum_error(P, V) + p_wrong * absolute(V);
    const Matrix O = P * V, dP = dO * transposed(V), dp_error = sum_error(dO, transposed(V));
    Matrix dS{T, T}, ds_error{T, T};
    for (Index i = 0; i < T; ++i) {
      double dot = 0, dot_error = 0;
      for (Index d = 0; d < D; ++d) {
        dot += dO(i, d) * O(i, d);
        dot_error += std::abs(dO(i, d)) * (o_error(i, d) + 2 * double(D) * eps * std::abs(O(i, d)));
      }
      for (Index j = 0; j <= i; ++j) {
        dS(i, j) = scale * P(i, j) * (dP(i, j) - dot);
        ds_error(i, j) =
            (u + p_error) * std::abs(dS(i, j)) +
            (1 + u) * scale * P(i, j) *
                (dp_error(i, j) + dot_error + 4 * eps * (std::abs(dP(i, j)) + std::abs(dot)));
      }
    }
    check_within("o", single[0], half[0], o_error, head * D);
    check_within("dQ", single[1], half[1], sum_error(dS, K) + ds_error * absolute(K), head * D);
    check_within("dK", single[1], half[1],
                 sum_error(transposed(dS), Q) + transposed(ds_error) * absolute(Q), (H + head) * D);
    check_within("dV", single[1], half[1],
                 sum_error(transposed(P), dO) + transposed(p_wrong) * absolute(dO),
                 (2 * H + head) * D);
  }
}
