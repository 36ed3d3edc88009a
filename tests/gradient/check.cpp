#include "tests/gradient/check.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/tape.h"

namespace gradient {

using engine::real;
using engine::Tape;

namespace {

constexpr double h = 0x1p-10;

// Tells which ops ran backward.
struct Seen final : Tape::Observer {
  bool ops[engine::op_count] = {};
  void recorded(Op, const engine::Gradient&, std::span<const engine::Gradient>) override {}
  void ran_backward(Op op, const engine::Gradient&, const Tensor&) override {
    ops[static_cast<int>(op)] = true;
  }
};

Tensor noise(const Shape& shape, std::uint64_t seed) {
  Tensor x = Tensor::uninitialized(shape);
  Generator(seed).uniform(x.mutable_values(), -1, 1);
  return x;
}

// sum_j v_j dy_j/dt at t = 0, where `move(t)` moves the inputs.
template <class Move>
double slope(const Case& c, const Tensor& v, Move move) {
  const auto at = [&](double t) {
    move(t);
    return c.f();
  };
  const Tensor far_left = at(-2 * h), left = at(-h), right = at(h), far_right = at(2 * h);
  move(0);
  double sum = 0;
  for (std::size_t j = 0; j < v.values().size(); ++j) {
    const double near = double(right.values()[j]) - double(left.values()[j]);
    const double far = double(far_right.values()[j]) - double(far_left.values()[j]);
    sum += double(v.values()[j]) * (8 * near - far) / (12 * h);
  }
  return sum;
}

}  // namespace

Tensor weights_like(const Tensor& y) { return noise(y.shape(), 99); }

Backward run_backward(const Function& f, const std::vector<Tensor>& inputs, const Op* op,
                      bool prefilled) {
  for (const Tensor& x : inputs) {
    x.gradient().clear();
    if (prefilled) x.gradient().accumulate(noise(x.shape(), 7));
  }
  Backward result;
  Seen seen;
  Tape tape;
  tape.observe(&seen);
  result.y = f();
  const Tensor v = weights_like(result.y);
  tape.backward(result.y, v);
  if (op != nullptr && !seen.ops[static_cast<int>(*op)])
    result.complaint = engine::joined(name(*op), " was not on the tape");
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& x = inputs[k];
    if (!x.gradient().written()) result.complaint = engine::joined("input ", k, " got no gradient");
    const Tensor g = x.gradient().value(), before = noise(x.shape(), 7);
    for (std::size_t i = 0; i < g.values().size(); ++i)
      result.gradient.push_back(double(g.values()[i]) -
                                (prefilled ? double(before.values()[i]) : 0));
    x.gradient().clear();
  }
  return result;
}

Vector numeric_gradient(const Case& c, const Tensor& v) {
  Vector numeric;
  for (const Tensor& x : c.inputs)
    for (real& value : x.mutable_values())
      numeric.push_back(slope(
          c, v, [&, middle = value](double t) { value = static_cast<real>(double(middle) + t); }));
  return numeric;
}

double numeric_slope(const Case& c, const Tensor& v, const Vector& u) {
  Vector middle;
  for (const Tensor& x : c.inputs)
    for (const real value : x.values()) middle.push_back(double(value));
  return slope(c, v, [&](double t) {
    std::size_t i = 0;
    for (const Tensor& x : c.inputs)
      for (real& value : x.mutable_values()) {
        value = static_cast<real>(middle[i] + t * u[i]);
        ++i;
      }
  });
}

double relative_error(double a, double b, double least) {
  const double error = std::abs(a - b) / std::max({std::abs(a), std::abs(b), least});
  return std::isnan(error) ? HUGE_VAL : error;
}

Worst worst_of(const Vector& analytic, const Vector& numeric) {
  Worst worst;
  for (std::size_t i = 0; i < analytic.size(); ++i) {
    const Worst here = {relative_error(analytic[i], numeric[i]), analytic[i], numeric[i], i};
    if (worst < here) worst = here;
  }
  return worst;
}

std::string index_text(const Shape& shape, std::size_t element) {
  std::string index;
  for (int axis = 0; axis < shape.rank(); ++axis)
    index += engine::joined(
        axis > 0 ? ", " : "",
        static_cast<Index>(element) / shape.product(axis + 1, shape.rank()) % shape[axis]);
  return "[" + index + "]";
}

std::string element_name(const Case& c, std::size_t element) {
  std::size_t k = 0;
  while (element >= c.inputs[k].values().size()) element -= c.inputs[k++].values().size();
  return engine::joined("x", k + 1, index_text(c.inputs[k].shape(), element));
}

double norm(const Vector& x) { return distance(x, Vector(x.size())); }

double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

}  // namespace gradient
