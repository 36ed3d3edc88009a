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
    case Op::dropout: return dropout_forms(n);
    // Fused ops: held against their compositions (tests/gradient/composed.h) by make gradcheck.
    case Op::swiglu:
    case Op::rms_norm:
    case Op::rope:
    case Op::qk_norm:
    case Op::softmax:
    case Op::log_softmax:
    case Op::layer_norm:
    case Op::cross_entropy:
    case Op::linear:
    case Op::feed_forward:
    case Op::attention: return;
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
