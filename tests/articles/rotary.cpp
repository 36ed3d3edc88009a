// Rotary position embedding (Su et al., 2021): an op of one's own, in one file, between the
// projections of attention and its scores.
//
// Position t turns each pair of neighboring features by an angle of its own, C features in all:
//
//     y_2i     = x_2i cos a - x_2i+1 sin a            a = t base^(-2i/C)
//     y_2i+1   = x_2i sin a + x_2i+1 cos a
//
// A rotation's derivative is the rotation, and its transpose turns back:
//
//     dx = dy, turned by -a
//
// The score of a query at m and a key at n is then <R_m q, R_n k> = <q, R_n-m k>: it depends on
// the distance n - m alone. So attention knows the order of its words without a position embedding.

#include <limits>

#include "engine/gradient_check.h"
#include "tests/articles/walkthrough.h"

namespace articles {
namespace {

// Rows of x (..., T, C) turned as positions `first`, first + 1, ...; by -a if direction is -1.
Tensor turned(const Tensor& x, Index first, double base, int direction) {
  const Tensor y = Tensor::uninitialized(x.shape());
  const Index T = x.shape().from_end(2), C = x.shape().cols();
  for (Index row = 0; row < x.shape().rows(); ++row)
    for (Index i = 0; i < C; i += 2) {
      const double a = direction * double(first + row % T) * std::pow(base, -double(i) / double(C));
      const auto c = static_cast<real>(std::cos(a)), s = static_cast<real>(std::sin(a));
      const real* const from = x.data() + row * C + i;
      real* const to = y.mutable_data() + row * C + i;
      to[0] = from[0] * c - from[1] * s;
      to[1] = from[0] * s + from[1] * c;
    }
  return y;
}

Tensor rotary(const Tensor& x, Index first = 0, double base = 10000) {
  check(x.shape().cols() % 2 == 0, "rotary: x ", x.shape(),
        " needs an even number of features: ", x.shape().cols());
  return record("rotary", turned(x, first, base, 1), {x.gradient()},
                [first, base, dx = x.gradient()](const Tensor& dy) {
                  dx.accumulate(turned(dy, first, base, -1));
                });
}

// nn::Attention, with queries and keys turned before they meet.
struct RotaryAttention : nn::Attention {
  using nn::Attention::Attention;
  nn::AttentionResult operator()(const Tensor& x, Index first = 0) const {
    return nn::attention(rotary(W_query(x), first), rotary(W_key(x), first), W_value(x), options);
  }
};

RotaryAttention small_attention(bool causal) {
  RotaryAttention attention(6, 6, 8, 4, true, {.causal = causal});
  Generator generator(3);
  nn::initialize(attention, generator);
  return attention;
}

}  // namespace

TEST_CASE("rotary: pairs of features turn by the position", "[articles][rotary]") {
  section("Positions as angles");
  const Tensor x = Tensor::of({{1, 0, 1, 0}, {1, 0, 1, 0}, {0, 2, 0, 1}});
  // The second pair is slower: 10000^(-2/4) = 1/100.
  prints("rotary(x)", rotary(x),
         {{1, 0, 1, 0},
          {0.5403, 0.8415, 0.99995, 0.0100},
          {-2 * 0.9093, -2 * 0.41615, -0.0200, 0.9998}});
  CHECK_THROWS_WITH(rotary(Tensor::ones({2, 3})),
                    "rotary: x (2, 3) needs an even number of features: 3");
}

TEST_CASE("rotary: its gradient, and the whole attention's", "[articles][rotary]") {
  section("The derivative, checked");
  Generator generator(1);
  for (const Shape& shape : {Shape{2}, {1, 4}, {5, 6}, {2, 3, 8}}) {
    const Tensor x = Tensor::randn(shape, generator).require_gradient();
    say("x ", shape, ": off by ", check_gradient([&] { return rotary(x, 7); }, {x}));
  }
  const RotaryAttention attention = small_attention(true);
  const Tensor x = Tensor::randn({2, 4, 6}, generator).require_gradient();
  check_gradient([&] { return attention(x, 2).context; },
                 {x, attention.W_query.weight, attention.W_key.weight, attention.W_value.weight,
                  attention.W_query.bias, attention.W_value.bias});
}

TEST_CASE("rotary: scores depend on the distance alone", "[articles][rotary]") {
  section("Distance is all");
  constexpr double eps = std::numeric_limits<real>::epsilon();
  Generator generator(2);
  const Index T = 6;
  const Tensor q = Tensor::randn({1, 8}, generator), k = Tensor::randn({1, 8}, generator);
  // The same query and the same key at every position: a matrix of one number per diagonal.
  const auto scores = [&](Index first) {
    return matmul(rotary(repeat(q, {T, 1}), first), transpose(rotary(repeat(k, {T, 1}), first)));
  };
  const Tensor near = scores(0), far = scores(1000);
  show("scores", near);
  // A turn rounds four times for a pair, and a score sums 8 products; the angles, up to 1006, are
  // products of a power and a position, rounded in double.
  const double lengths = std::sqrt(double(sum(q * q).item()) * double(sum(k * k).item()));
  const double allowed = (16 * eps + 4 * 1006 * 0x1p-53) * lengths;
  for (Index m = 0; m < T; ++m)
    for (Index n = 0; n < T; ++n) {
      INFO("query " << m << ", key " << n);
      CHECK(std::abs(double(far.at({m, n}) - near.at({m, n}))) <= allowed);
      const Index d = std::min(m, n);
      CHECK(std::abs(double(near.at({m, n}) - near.at({m - d, n - d}))) <= allowed);
    }
  CHECK(std::abs(double(near.at({0, 1}) - near.at({0, 0}))) > 0.01);  // but on the distance
}

TEST_CASE("rotary: attention without positions is blind to the order", "[articles][rotary]") {
  section("Order");
  const RotaryAttention attention = small_attention(false);
  const nn::Attention& blind = attention;
  Generator generator(4);
  const Tensor x = Tensor::randn({3, 6}, generator);
  const Tensor backwards = stack({x[2], x[1], x[0]});
  // What the last word sees, before and after the others have changed places.
  const auto differs = [](const Tensor& a, const Tensor& b) {
    return double(max(abs(a[0] - b[2])).item());
  };
  const double without = differs(blind(x).context, blind(backwards).context);
  const double with = differs(attention(x).context, attention(backwards).context);
  say("the order changes a context by ", without, " without positions, by ", with, " with");
  CHECK(without < 1e-6);
  CHECK(with > 1e-3);
  // Where the text begins does not matter.
  const double shifted = double(max(abs(attention(x).context - attention(x, 500).context)).item());
  CHECK(shifted < 1e-5);
}

}  // namespace articles
