// What a gradient check is. For y = f(x) and any v, backward computes J^T v, where J is the matrix
// of the derivatives dy_j/dx_i. The definition of a derivative gives the same numbers in another
// way, without a line of backward's code:
//
//     dy/dx_i = (8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h + O(h^4)
//
// with h added to x_i alone. Outputs are subtracted first, then weighed with v and summed, so that
// what does not depend on x_i cancels before it can round. h = 2^-10 makes x + h exact; the error
// of the formula is then h^4/30 = 3e-14 times a fifth derivative, that of rounding 2e-13 times y.
//
// v is random: v = 1 would let a backward of softmax that returns 0 pass, as the sum of a softmax
// does not change.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/gradient/case.h"

namespace gradient {

// The gradients of all inputs of a case, one after another.
using Vector = std::vector<double>;

Tensor weights_like(const Tensor& y);  // v: uniform in +-1, the same in every build

struct Backward {
  Tensor y;
  Vector gradient;        // J^T v
  std::string complaint;  // what was wrong on the way, or empty
};
// Runs f and its backward on a tape of its own. Into empty gradient slots, or, if `prefilled`, into
// slots that hold something already, which is subtracted again: accumulation must have added.
// Complains if `op` is not among the nodes, or if an input got no gradient.
Backward run_backward(const Function& f, const std::vector<Tensor>& inputs, const Op* op,
                      bool prefilled);

// J^T v by differences: every element, in the order of Vector.
Vector numeric_gradient(const Case& c, const Tensor& v);

// v^T J u by differences, where u has an element for every element of the inputs.
double numeric_slope(const Case& c, const Tensor& v, const Vector& u);

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

// "[2, 0]": the element of a tensor of this shape, by index.
std::string index_text(const Shape& shape, std::size_t element);

// "x1[2, 0]": the element of a Vector, by input and index.
std::string element_name(const Case& c, std::size_t element);

double norm(const Vector& x);
double distance(const Vector& a, const Vector& b);

}  // namespace gradient
