// How make gradcheck compares: the two sides of engine/gradient_check.h, held closer together than
// check_gradient asks for, and forms of both that can be broken on purpose.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "engine/gradient_check.h"
#include "tests/gradient/case.h"

namespace gradient {

// The gradients of all inputs of a case, one after another.
using Vector = std::vector<double>;

using engine::gradient_check::Backward;
using engine::gradient_check::weights_like;

// run_backward of engine/gradient_check.h; complains also if `op` is not among the nodes.
Backward run_backward(const Function& f, const std::vector<Tensor>& inputs, const Op* op,
                      bool prefilled);

// J^T v by differences.
Vector numeric_gradient(const Case& c, const Tensor& v);

// |a - b| over the larger of both, and over `least` where both are smaller.
double relative_error(double a, double b, double least = 1e-3);

struct Worst {
  double error = 0, analytic = 0, numeric = 0;
  std::size_t element = 0;
  // By error; among equals (0, mostly) a larger element says more.
  bool operator<(const Worst& other) const {
    return error != other.error ? error < other.error
                                : std::abs(analytic) < std::abs(other.analytic);
  }
};
Worst worst_of(const Vector& analytic, const Vector& numeric);

double norm(const Vector& x);
double distance(const Vector& a, const Vector& b);

}  // namespace gradient
