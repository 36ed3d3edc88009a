// Gradient checks: is what backward computes the derivative of what forward computes?
//
//     Tensor x = Tensor::randn({3, 5}, generator).require_gradient();
//     check_gradient([&] { return bell(x); }, {x});
//
// throws `bell: dx1[2, 0] is 0.31, by differences 0.93` if the two disagree.
//
// For y = f(x) and any v, backward computes J^T v, where J is the matrix of the derivatives
// dy_j/dx_i. The definition of a derivative gives the same numbers in another way, without a line
// of backward's code:
//
//     dy/dx_i = (8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h + O(h^4)
//
// with h added to x_i alone. Outputs are subtracted first, then weighed with v and summed, so that
// what does not depend on x_i cancels before it can round. v is random: v = 1 would let a backward
// of softmax that returns 0 pass, as the sum of a softmax does not change.
//
//     REAL     h       h^4/30, times the      1.5 eps/h, times r |y|:   sqrt(eps):
//                      fifth derivative       y with r roundings        what is allowed
//     float    2^-6    2e-9                   1.1e-5                    3.5e-4
//     double   2^-10   3e-14                  3.4e-13                   1.5e-8
//
// So in float 30 roundings are allowed for, in double more than any op makes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensor.h"

namespace engine {

// Throws Error unless for every element of every input, with v uniform in +-1,
//
//     |backward - differences| <= sqrt(eps) max(|backward|, |differences|, |v_j y_j|),
//
// the last a vector of the outputs that depend on the element (others count with the eps/h of their
// slope that differences cannot see). Returns the largest relative error; sqrt(eps) is allowed.
// Gradients must be added to what the inputs' slots hold.
//
// f is called again and again, and must compute the same each time. Every input needs a slot, which
// is left empty, values near 1 (h is an absolute step), and no kink, as relu's at 0, within 2h.
double check_gradient(const std::function<Tensor()>& f, const std::vector<Tensor>& inputs);

// The two sides, and what is needed to compare them in another way. A vector has one element for
// each element of each input, in their order.
namespace gradient_check {

Tensor weights_like(const Tensor& y);  // v: uniform in +-1, the same in every build

struct Backward {
  Tensor y;
  std::vector<double> gradient;       // J^T v
  std::vector<std::string_view> ops;  // whose backward ran, the result's first
  std::string complaint;              // which input got no gradient, or empty
};
// Runs f and its backward on a tape of its own. Into empty gradient slots, or, if `prefilled`, into
// slots that hold something already, which is subtracted again: accumulation must have added.
Backward run_backward(const std::function<Tensor()>& f, std::span<const Tensor> inputs,
                      bool prefilled);

struct Slope {
  double value = 0;
  double size = 0;  // |v_j y_j|, over the outputs that moved; others times eps/h
};
// J^T v by differences.
std::vector<Slope> slopes(const std::function<Tensor()>& f, std::span<const Tensor> inputs,
                          const Tensor& v);
// v^T J u by differences, where u has an element for every element of the inputs.
double slope_along(const std::function<Tensor()>& f, std::span<const Tensor> inputs,
                   const Tensor& v, std::span<const double> u);

// "[2, 0]": an element of a tensor of this shape, by index.
std::string index_text(const Shape& shape, Index element);
// "x1[2, 0]": an element of the inputs, by input and index.
std::string element_name(std::span<const Tensor> inputs, std::size_t element);

}  // namespace gradient_check

}  // namespace engine
