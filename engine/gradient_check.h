// Gradient checks: does backward compute the derivative of what forward computes?
//
//     Tensor x = Tensor::randn({3, 5}, generator).require_gradient();
//     check_gradient([&] { return bell(x); }, {x});
//
// throws `bell: dx1[2, 0] is 0.31, by differences 0.93` if the two disagree.
//
// For y = f(x) and any v in place of dy, backward computes J^T v, where J is the matrix of the
// derivatives dy_j/dx_i. The definition of a derivative gives the same numbers without using
// backward's code:
//
//     dy/dx_i = (8 (f(x + h) - f(x - h)) - (f(x + 2h) - f(x - 2h))) / 12h + O(h^4)
//
// with h added to x_i alone. Outputs are subtracted first, then weighted with v and summed, so that
// terms that do not depend on x_i cancel before they are rounded. v is random: with v = 1 a
// backward of softmax that returns 0 would pass, since a softmax always sums to 1.
//
//     REAL     h       h^4/30, times the      1.5 eps/h, times r |y|:   sqrt(eps):
//                      fifth derivative       y off by r eps |y|        what is allowed
//     float    2^-6    2e-9                   1.1e-5                    3.5e-4
//     double   2^-10   3e-14                  3.4e-13                   1.5e-8
//
// One rounding is off by at most eps |y| / 2. So the limit leaves room for 60 in float, and in
// double for more than any op needs.
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
// where |v_j y_j| is the length of the vector of those outputs that depend on the element. (Of the
// others eps/h is counted: so small a slope is not seen by differences.) Returns the largest
// relative error; sqrt(eps) is allowed. Also checks that backward adds to what slots hold.
//
// f is called many times and must compute the same values each time. Every input needs a slot,
// which is emptied; values near 1, since h is an absolute step; and no kink, like relu's at 0,
// within 2h.
double check_gradient(const std::function<Tensor()>& f, const std::vector<Tensor>& inputs);

// The two sides of the check, to compare them in other ways. A vector has one element for each
// element of each input, in their order.
namespace gradient_check {

Tensor weights_like(const Tensor& y);  // v: uniform in +-1, the same in every build

struct Backward {
  Tensor y;
  std::vector<double> gradient;       // J^T v
  std::vector<std::string_view> ops;  // ops that backward ran through, the result's op first
  std::string complaint;              // which input got no gradient, or empty
};
// Runs f and its backward on a tape of its own. Gradient slots are empty before, or, if
// `prefilled`, hold numbers that are subtracted afterwards: so backward must have added to them.
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
