// Forward values of every op against plain loops over the definition, for every size from 0 or 1 to
// two vectors and one more, on operands that are not aligned. An op without such a check does not
// build.

#include "engine/attention.h"
#include "engine/kernels/simd.h"
#include "tests/unit/engine/plain_loops.h"

namespace plain {
namespace {

// --- element by element ------------------------------------------------------------------------

using Unary = Tensor (*)(const Tensor&);
using Binary = Tensor (*)(const Tensor&, const Tensor&);

// `exact` to within `roundings` eps of the result, or of max(1, |x|) where `absolute`.
void unary(Op op, Index n, Unary f, Exact (*exact)(Exact), Exact roundings, double low = -9,
           bool absolute = false) {
  for (const Shape& shape : {Shape{n}, {3, n}, {n, 2}}) {
    const Tensor x = input(shape, low, 9);
    check_values(name_of(op).data(), f(x), shape, [&](const At& at) {
      const Exact u = get(x, at), y = exact(u);
      return Value{y, roundings * eps * (absolute ? std::max<Exact>(1, std::abs(u)) : std::abs(y))};
    });
  }
}

void binary(Op op, Index n, Binary f, Exact (*exact)(Exact, Exact), Exact roundings = 1,
            double low = -2) {
  for (const Shapes& form :
       {Shapes{{n}, {n}, {n}}, Shapes{{3, n}, {n}, {3, n}}, Shapes{{n}, {2, 3, n}, {2, 3, n}},
        Shapes{{3, n}, {3, 1}, {3, n}}, Shapes{{1}, {2, n}, {2, n}}, Shapes{{n, 1}, {1, 3}, {n, 3}},
        Shapes{{2, 1, n}, {3, 1}, {2, 3, n}}, Shapes{{n}, {}, {n}}}) {
    const Shape &a_shape = form.a, &b_shape = form.b, &shape = form.y;
    const Tensor a = input(a_shape, low), b = input(b_shape, 0.5);
    check_values(name_of(op).data(), f(a, b), shape, [&](const At& at) {
      const int rank = shape.rank();
      const Exact y = exact(get(a, at, rank), get(b, at, rank));
      return Value{y, roundings * eps * std::abs(y)};
    });
  }
}

Exact minus(Exact x) { return -x; }
Exact relu_of(Exact x) { return std::max<Exact>(x, 0); }
Exact relu2_of(Exact x) { return relu_of(x) * relu_of(x); }
Exact gelu_of(Exact x) { return x * std::erfc(-x / std::sqrt(Exact(2))) / 2; }
Exact sigmoid_of(Exact x) { return 1 / (1 + std::exp(-x)); }
Exact silu_of(Exact x) { return x * sigmoid_of(x); }
Exact gelu_tanh_of(Exact x) {
  return x *
         sigmoid_of(2 * std::sqrt(2 / std::acos(Exact(-1))) * (x + Exact(0.044715) * x * x * x));
}

// --- along an axis -----------------------------------------------------------------------------

// definition(row): from the values along the axis to one value.
template <class Definition>
void reduction(Op op, Index n, Tensor (*f)(const Tensor&, int, bool), Definition definition) {
  struct Form {
    Shape shape;
    int axis;
  };
  for (const Form& form : {Form{{n}, 0}, Form{{3, n}, 1}, Form{{n, 3}, 0}, Form{{3, n}, 0},
                           Form{{2, n, 3}, 1}, Form{{2, 3, n}, 1}, Form{{2, 1, n, 2}, 2}}) {
    const Shape& shape = form.shape;
    const int axis = form.axis;
    if (op == Op::max && shape[axis] == 0) continue;  // an error
    const Tensor x = input(shape);
    for (const bool keep : {false, true}) {
      const auto value = [&](At at) {
        if (!keep)  // put the axis back
          for (int i = Shape::max_rank - 1; i > axis; --i)
            at[std::size_t(i)] = at[std::size_t(i - 1)];
        std::vector<Exact> row;
        for (Index k = 0; k < x.shape()[axis]; ++k) row.push_back(get(x, with(at, axis, k)));
        return definition(row);
      };
      check_values(name_of(op).data(), f(x, axis, keep),
                   keep ? shape.with(axis, 1) : shape.without(axis), value);
    }
  }
}

void softmax_rows(Op op, Index n) {
  for (const Shape& shape : {Shape{n}, {3, n}, {2, 2, n}}) {
    const Tensor x = input(shape, -9, 9);
    const bool logarithm = op == Op::log_softmax;
    check_values(
        name_of(op).data(), logarithm ? log_softmax(x) : softmax(x), shape, [&](const At& at) {
          const auto [sum, tolerance] = log_sum_exp(row_at(x, at));
          const Exact y = get(x, at) - sum;
          if (logarithm) return Value{y, tolerance + 2 * eps * std::abs(y)};
          return Value{std::exp(y), (tolerance + 4 * eps * (1 + std::abs(y))) * std::exp(y)};
        });
  }
}

void layer_norm_rows(Index n) {
  for (const Shape& shape : {Shape{n}, {3, n}, {2, 2, n}})
    for (const bool with_bias : {false, true}) {
      const Tensor x = input(shape), weight = input({n}), bias = with_bias ? input({n}) : Tensor();
      check_values("layer_norm", layer_norm(x, weight, bias), shape, [&](const At& at) {
        const std::vector<Exact> row = row_at(x, at);
        const auto [mean, off] = mean_of(row);
        const auto [variance, variance_off] = variance_of(row, Exact(n));
        const Exact r = 1 / std::sqrt(variance + Exact(1e-5)), d = get(x, at) - mean;
        const At last = {at[static_cast<std::size_t>(shape.rank() - 1)]};
        const Exact w = get(weight, last), b = bias ? get(bias, last) : 0, y = d * r * w + b;
        const Exact relative = variance_off / (variance + Exact(1e-5)) + 4 * eps;
        return Value{y, std::abs(r * w) * (off + eps * std::abs(mean) + relative * std::abs(d)) +
                            2 * eps * (std::abs(b) + std::abs(y))};
      });
    }
}

void rms_norm_rows(Index n) {
  for (const Shape& shape : {Shape{n}, {3, n}, {2, 2, n}}) {
    const Tensor x = input(shape), weight = input({n});
    check_values("rms_norm", rms_norm(x, weight), shape, [&](const At& at) {
      Exact squares = 0;
      for (const Exact v : row_at(x, at)) squares += v * v;
      const At last = {at[static_cast<std::size_t>(shape.rank() - 1)]};
      const Exact y = get(x, at) / std::sqrt(squares / Exact(n) + Exact(1e-5)) * get(weight, last);
      return Value{y, Exact(n + 6) * eps * std::abs(y)};
    });
  }
}

// Pairs half a head apart, turned by position 10000^(-2i/D); one head more is left as it is.
void rope_forms(Index n) {
  const Index D = 2 * n, T = 3, first = 2;
  if (n == 0) return;  // an error
  const Tensor x = input({2, T, 3 * D});
  check_values(
      "rope", rope(x, rope_angles(first + T, D), 2, first), {2, T, 3 * D}, [&](const At& at) {
        const Index head = at[2] / D * D, i = at[2] % n;
        if (head == 2 * D) return Value{get(x, at), 0};
        const Exact a = Exact(first + at[1]) * std::pow(Exact(10000), -Exact(i) / Exact(n));
        const Exact u = get(x, at[0], at[1], head + i), v = get(x, at[0], at[1], head + n + i),
                    c = std::cos(a), s = std::sin(a);
        const bool left = at[2] % D < n;
        return Value{left ? u * c - v * s : v * c + u * s, 4 * eps * (std::abs(u) + std::abs(v))};
      });
}

void qk_norm_forms(Index n) {
  const Tensor x = input({3, 4 * n}), q = input({n}), k = input({n});
  if (n == 0) return;  // an error
  check_values("qk_norm", qk_norm(x, {2, 1}, q, k), {3, 4 * n}, [&](const At& at) {
    const Index head = at[1] / n, first = head * n;
    if (head == 3) return Value{get(x, at), 0};
    Exact squares = 0;
    for (Index i = 0; i < n; ++i) squares += get(x, at[0], first + i) * get(x, at[0], first + i);
    const Exact w = get(head < 2 ? q : k, {at[1] - first});
    const Exact y = get(x, at) / std::sqrt(squares / Exact(n) + Exact(1e-5)) * w;
    return Value{y, Exact(n + 6) * eps * std::abs(y)};
  });
}

void swiglu_rows(Index n) {
  for (const Shape& shape : {Shape{n}, {3, n}, {2, 2, n}}) {
    const Tensor x = input(shape.with(shape.rank() - 1, 2 * n), -9, 9);
    check_values("swiglu", swiglu(x), shape, [&](const At& at) {
      const int last = shape.rank() - 1;
      const Index i = at[static_cast<std::size_t>(last)];
      const Exact g = get(x, at, last + 1), u = get(x, with(at, last, n + i), last + 1);
      // silu is off by 4e-7 max(1, |g|) in float: the bound of vector_math.h.
      const Exact off = Exact(4e-7) / 0x1p-23L * eps * std::max<Exact>(1, std::abs(g));
      return Value{g * sigmoid_of(g) * u, (off + eps * std::abs(g)) * std::abs(u)};
    });
  }
}

void cross_entropy_rows(Index n) {
  for (const Shape& shape : {Shape{n}, {3, n}, {n, 5}, {2, 2, n}}) {
    const Tensor x = input(shape, -9, 9);
    std::vector<std::int32_t> targets;
    Exact sum = 0, tolerance = 0, count = 0;
    for (Index r = 0; r < shape.rows(); ++r) {
      const auto target = static_cast<std::int32_t>(
          r % 3 == 1 || shape.cols() == 0 ? -1 : (r * 7 + n) % shape.cols());
      targets.push_back(target);
      if (target < 0) continue;
      const auto row = std::span(x.data() + r * shape.cols(), std::size_t(shape.cols()));
      const auto [log_sum, off] = log_sum_exp({row.begin(), row.end()});
      const Exact loss = log_sum - Exact(row[std::size_t(target)]);
      sum += loss;
      tolerance += off + 2 * eps * (std::abs(log_sum) + std::abs(loss));
      ++count;
    }
    check_values("cross_entropy", cross_entropy(x, targets), {}, [&](const At&) {
      return Value{sum / count, tolerance / count + eps * std::abs(sum / count)};
    });
  }
}

void check_forward(Op op, Index n) {
  const Exact gelu_roundings = Exact(4e-7) / 0x1p-23L;  // the bound of vector_math.h
  switch (op) {
    case Op::add: return binary(op, n, add, [](Exact a, Exact b) { return a + b; });
    case Op::sub: return binary(op, n, sub, [](Exact a, Exact b) { return a - b; });
    case Op::mul: return binary(op, n, mul, [](Exact a, Exact b) { return a * b; });
    case Op::div: return binary(op, n, div, [](Exact a, Exact b) { return a / b; });
    case Op::pow: return binary(op, n, pow, std::pow, 2, 0.1);
    case Op::neg: return unary(op, n, neg, minus, 0);
    case Op::exp: return unary(op, n, exp, std::exp, 2);
    case Op::log: return unary(op, n, log, std::log, 2, 0.01);
    case Op::sqrt: return unary(op, n, sqrt, std::sqrt, 1, 0);
    case Op::tanh: return unary(op, n, tanh, std::tanh, 3);
    case Op::relu: return unary(op, n, relu, relu_of, 0);
    case Op::gelu: return unary(op, n, gelu, gelu_of, gelu_roundings, -9, true);
    case Op::gelu_tanh: return unary(op, n, gelu_tanh, gelu_tanh_of, gelu_roundings, -9, true);
    case Op::sigmoid: return unary(op, n, sigmoid, sigmoid_of, 2);
    case Op::silu: return unary(op, n, silu, silu_of, gelu_roundings, -9, true);
    case Op::relu2: return unary(op, n, relu2, relu2_of, 1);
    case Op::swiglu: return swiglu_rows(n);
    case Op::rms_norm: return rms_norm_rows(n);
    case Op::rope: return rope_forms(n);
    case Op::qk_norm: return qk_norm_forms(n);
    case Op::sin: return unary(op, n, sin, std::sin, 2);
    case Op::cos: return unary(op, n, cos, std::cos, 2);
    case Op::abs: return unary(op, n, abs, std::abs, 0);
    case Op::sum: return reduction(op, n, sum, sum_of);
    case Op::mean: return reduction(op, n, mean, mean_of);
    case Op::variance:
      return reduction(
          op, n, [](const Tensor& x, int axis, bool keep) { return variance(x, axis, keep, 0); },
          [](const std::vector<Exact>& row) { return variance_of(row, Exact(row.size())); });
    case Op::max: return reduction(op, n, max, max_of);
    case Op::matmul: return matmul_forms(n);
    case Op::permute: return permute_forms(n);
    case Op::concat: return concat_forms(n);
    case Op::slice: return slice_forms(n);
    case Op::repeat: return repeat_forms(n);
    case Op::embedding: return embedding_forms(n);
    case Op::masked_fill: return masked_fill_forms(n);
    case Op::where: return where_forms(n);
    case Op::gather: return gather_forms(n);
    case Op::softmax:
    case Op::log_softmax: return softmax_rows(op, n);
    case Op::layer_norm: return layer_norm_rows(n);
    case Op::dropout: return dropout_forms(n);
    case Op::cross_entropy: return cross_entropy_rows(n);
    case Op::linear: return linear_forms(n);
    case Op::feed_forward: return feed_forward_forms(n);
    case Op::attention: return attention_forms(n);
  }
}

}  // namespace
}  // namespace plain

TEST_CASE("ops: forward values against plain loops") {
  using namespace engine;
  for (int op = 0; op < op_count; ++op)
    for (Index n = 0; n <= 2 * kernels::lanes + 1; ++n) {
      INFO("n = " << n);
      plain::check_forward(static_cast<Op>(op), n);
    }
}
