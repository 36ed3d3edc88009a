// The cases of every op: here those that work element by element or along one axis, in
// structured_cases.cpp the others. At least five shapes each: size 1, odd sizes, sizes around the
// widths of vectors (4, 8, 16), broadcasting on either side, one input used twice.

#include "engine/base/check.h"
#include "tests/gradient/composed.h"
#include "tests/gradient/structured_cases.h"

namespace gradient {
namespace {

using namespace engine;

using Unary = std::function<Tensor(const Tensor&)>;
using OverAll = Tensor (*)(const Tensor&);  // chooses among overloads
using Binary = Tensor (*)(const Tensor&, const Tensor&);
using Make = Tensor (*)(Maker&, const Shape&);

// Values for an op that is smooth everywhere; for one that needs x > 0; for one with a kink at 0,
// which differences must not cross; for a maximum.
Tensor any(Maker& make, const Shape& shape) { return make.uniform(shape); }
Tensor positive(Maker& make, const Shape& shape) { return make.uniform(shape, 0.75, 2); }
Tensor away(Maker& make, const Shape& shape) { return make.away_from_zero(shape); }
Tensor distinct(Maker& make, const Shape& shape) { return make.distinct(shape); }
// For a denominator: either sign, |x| >= 3/4.
Tensor divisor(Maker& make, const Shape& shape) {
  const Tensor x = make.away_from_zero(shape);
  for (real& value : x.mutable_values()) value += value > 0 ? real(0.5) : real(-0.5);
  return x;
}

std::vector<Case> unary(Maker make, Unary f, Make values, Unary composed = nullptr) {
  std::vector<Case> cases;
  for (const Shape& shape :
       {Shape{}, Shape{1}, Shape{3}, Shape{4}, Shape{5}, Shape{7}, Shape{9}, Shape{15}, Shape{16},
        Shape{17}, Shape{3, 5}, Shape{2, 1, 3}, Shape{2, 3, 1, 3}, Shape{33}}) {
    const Tensor x = values(make, shape);
    add_case(cases, {x}, "", [=] { return f(x); });
    if (composed) cases.back().composed = [=] { return composed(x); };
  }
  return cases;
}

std::vector<Case> binary(Maker make, Binary f, Make left, Make right) {
  using Shapes = std::pair<Shape, Shape>;
  std::vector<Case> cases;
  for (const auto& [a_shape, b_shape] :
       {Shapes{{}, {}}, Shapes{{1}, {1}}, Shapes{{9}, {9}}, Shapes{{17}, {17}},
        Shapes{{3, 5}, {3, 5}}, Shapes{{}, {7}}, Shapes{{7}, {}}, Shapes{{15}, {1}},
        Shapes{{1}, {17}}, Shapes{{3, 5}, {5}}, Shapes{{5}, {3, 5}}, Shapes{{3, 1}, {1, 7}},
        Shapes{{2, 17}, {2, 1}}, Shapes{{2, 1, 5}, {4, 1}}, Shapes{{3, 1, 2}, {2, 1, 4, 1}},
        Shapes{{2, 3, 2, 3}, {1, 3}}}) {
    const Tensor a = left(make, a_shape), b = right(make, b_shape);
    add_case(cases, {a, b}, "", [=] { return f(a, b); });
  }
  const Tensor x = positive(make, {3, 3});
  add_case(cases, {x}, "f(x, x)", [=] { return f(x, x); });
  add_case(cases, {x}, "f(x, row of x)", [=] { return f(x, slice(x, 0, 1, 2)); });
  return cases;
}

std::vector<Case> pow_cases(Maker make) {
  std::vector<Case> cases = binary(make, pow, positive, any);
  for (const double exponent : {2.0, 3.0, -1.0, 0.0, 0.5}) {
    const Tensor x = exponent == 0.5 ? make.uniform({2, 9}, 0.75, 2) : divisor(make, {2, 9});
    add_case(cases, {x}, joined("exponent ", exponent), [=] { return pow(x, exponent); });
  }
  return cases;
}

using Reduction = Tensor (*)(const Tensor&, int, bool);
std::vector<Case> reduction(Maker make, Reduction along, OverAll all, Make values,
                            Reduction composed = nullptr) {
  struct Form {
    Shape shape;
    int axis;
    bool keep;
  };
  std::vector<Case> cases;
  for (const Form& form :
       {Form{{2}, 0, false}, Form{{9}, 0, true}, Form{{17}, -1, false}, Form{{3, 5}, 0, false},
        Form{{3, 5}, 1, false}, Form{{3, 5}, -1, true}, Form{{2, 3, 5}, 1, false},
        Form{{2, 3, 9}, 1, true}, Form{{2, 3, 2, 3}, 1, false}, Form{{33, 2}, 0, true},
        Form{{2, 33}, 1, false}}) {
    const Tensor x = values(make, form.shape);
    add_case(cases, {x}, joined("axis ", form.axis, form.keep ? ", kept" : ""),
             [=] { return along(x, form.axis, form.keep); });
    if (composed) cases.back().composed = [=] { return composed(x, form.axis, form.keep); };
  }
  if (all == nullptr) return cases;
  for (const Shape& shape : {Shape{}, {1}, {15}, {2, 3, 4}}) {
    const Tensor x = values(make, shape);
    add_case(cases, {x}, "all", [=] { return all(x); });
  }
  return cases;
}

// `cases`, and some along several axes at once.
using SeveralAxes = Tensor (*)(const Tensor&, std::initializer_list<int>, bool);
std::vector<Case> over_axes(Maker make, SeveralAxes along, std::vector<Case> cases) {
  const Tensor x = make.uniform({2, 3, 5}), y = make.uniform({2, 1, 3, 2});
  add_case(cases, {x}, "axes 0, 2", [=] { return along(x, {0, 2}, false); });
  add_case(cases, {x}, "axes -1, 1, kept", [=] { return along(x, {-1, 1}, true); });
  add_case(cases, {y}, "axes 2, 0, 1", [=] { return along(y, {2, 0, 1}, false); });
  return cases;
}

std::vector<Case> variance_cases(Maker make) {
  std::vector<Case> cases = reduction(
      make, [](const Tensor& x, int axis, bool keep) { return variance(x, axis, keep); }, nullptr,
      any, [](const Tensor& x, int axis, bool keep) { return composed::variance(x, axis, keep); });
  const Tensor one = make.uniform({2, 1}), x = make.uniform({2, 9});
  for (const Tensor& t : {one, x})
    add_case(
        cases, {t}, "axis 1, correction 0", [=] { return variance(t, 1, false, 0); },
        [=] { return composed::variance(t, 1, false, 0); });
  return cases;
}

}  // namespace

OpCases cases_of(Op op) {
  Maker make(static_cast<std::uint64_t>(op) + 1);
  const auto softmax_like = [&](Unary f, Unary composed) {
    std::vector<Case> cases = unary(make, f, any, composed);
    cases.erase(cases.begin());  // a scalar has no last axis
    return cases;
  };
  switch (op) {
    case Op::add: return {"a + b", binary(make, add, any, any)};
    case Op::sub: return {"a - b", binary(make, sub, any, any)};
    case Op::mul: return {"a b", binary(make, mul, any, any)};
    case Op::div: return {"a / b", binary(make, div, any, divisor)};
    case Op::neg: return {"-x", unary(make, neg, any)};
    case Op::pow: return {"x^p", pow_cases(make)};
    case Op::exp: return {"e^x", unary(make, engine::exp, any)};
    case Op::log: return {"ln x", unary(make, engine::log, positive)};
    case Op::sqrt: return {"sqrt x", unary(make, engine::sqrt, positive)};
    case Op::tanh: return {"tanh x", unary(make, engine::tanh, any)};
    case Op::relu: return {"max(x, 0)", unary(make, relu, away)};
    case Op::gelu: return {"x Phi(x)", unary(make, gelu, any)};
    case Op::gelu_tanh: {
      const Unary composed = [](const Tensor& x) {
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
      };
      return {"x (1 + tanh w(x))/2", unary(make, gelu_tanh, any, composed)};
    }
    case Op::sigmoid: return {"1/(1 + e^-x)", unary(make, sigmoid, any)};
    case Op::silu:
      return {"x/(1 + e^-x)",
              unary(make, silu, any, [](const Tensor& x) { return x * sigmoid(x); })};
    case Op::relu2:
      return {"max(x, 0)^2",
              unary(make, relu2, away, [](const Tensor& x) { return relu(x) * relu(x); })};
    case Op::swiglu: return {"silu(g) u", swiglu_cases(make)};
    case Op::rms_norm: return {"w x / rms(x)", rms_norm_cases(make)};
    case Op::rope: return {"x turned", rope_cases(make)};
    case Op::qk_norm: return {"rms_norm of q and k", qk_norm_cases(make)};
    case Op::sin: return {"sin x", unary(make, engine::sin, any)};
    case Op::cos: return {"cos x", unary(make, engine::cos, any)};
    case Op::abs:
      return {"|x|",
              unary(make, engine::abs, divisor, [](const Tensor& x) { return sqrt(x * x); })};
    case Op::sum: return {"sum_k x_k", over_axes(make, sum, reduction(make, sum, sum, any))};
    case Op::mean:
      return {"sum_k x_k / n", over_axes(make, mean, reduction(make, mean, mean, any))};
    case Op::variance: return {"sum_k (x_k - m)^2/(n-1)", variance_cases(make)};
    case Op::max: return {"max_k x_k", reduction(make, max, max, distinct)};
    case Op::matmul: return {"a b", matmul_cases(make)};
    case Op::permute: return {"x with axes permuted", permute_cases(make)};
    case Op::concat: return {"[x1, x2, ...]", concat_cases(make)};
    case Op::slice: return {"x[begin:end]", slice_cases(make)};
    case Op::repeat: return {"[x, x, ...]", repeat_cases(make)};
    case Op::embedding: return {"w[id]", embedding_cases(make)};
    case Op::gather: return {"x[id] along an axis", gather_cases(make)};
    case Op::where: return {"mask ? a : b", where_cases(make)};
    case Op::masked_fill: return {"mask ? c : x", masked_fill_cases(make)};
    case Op::softmax: return {"e^x_i / sum e^x", softmax_like(softmax, composed::softmax)};
    case Op::log_softmax:
      return {"x_i - ln sum e^x", softmax_like(log_softmax, composed::log_softmax)};
    case Op::layer_norm: return {"w (x - m)/s + b", layer_norm_cases(make)};
    case Op::dropout: return {"x M", dropout_cases(make)};
    case Op::cross_entropy: return {"-mean ln softmax(x)_t", cross_entropy_cases(make)};
    case Op::linear: return {"x W^T + b", linear_cases(make)};
    case Op::feed_forward: return {"f(x W1^T + b1) W2^T + b2", feed_forward_cases(make)};
    case Op::attention: return {"softmax(q k^T/s) v", attention_cases(make)};
  }
  return {};
}

}  // namespace gradient
