#include "tests/gradient/check.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace gradient {

Backward run_backward(const Function& f, const std::vector<Tensor>& inputs, const Op* op,
                      bool prefilled) {
  Backward result = engine::gradient_check::run_backward(f, inputs, prefilled);
  if (op != nullptr && std::ranges::find(result.ops, name_of(*op)) == result.ops.end())
    result.complaint = engine::joined(name_of(*op), " was not on the tape");
  return result;
}

Vector numeric_gradient(const Case& c, const Tensor& v) {
  Vector numeric;
  for (const auto& slope : engine::gradient_check::slopes(c.f, c.inputs, v))
    numeric.push_back(slope.value);
  return numeric;
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

double norm(const Vector& x) { return distance(x, Vector(x.size())); }

double distance(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

}  // namespace gradient
