// Grades exercise 14, backward of swiglu, by differences of engine::swiglu.
#include <cmath>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

real sigmoid(real g) { return 1 / (1 + std::exp(-g)); }
real silu(real g) { return g * sigmoid(g); }
real slope(real g) { return sigmoid(g) * (1 + g * (1 - sigmoid(g))); }

// f(g, u, dy, dg, du) for every gate g and its value u.
template <class F>
void for_each_pair(Matrix x, Matrix dy, MutableMatrix dx, F f) {
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < dy.cols; ++j)
      f(x(i, j), x(i, j + dy.cols), dy(i, j), dx(i, j), dx(i, j + dy.cols));
}

const std::vector<Mistake<SwigluBackward>> swiglu_mistakes = {
    {"silu' is taken for the sigmoid's derivative s (1 - s): silu(g) = g s is a product, so a term "
     "s "
     "comes before g s (1 - s)",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real u, real d, real& dg, real& du) {
         dg = d * u * sigmoid(g) * (1 - sigmoid(g));
         du = d * silu(g);
       });
     }},
    {"the term s of silu' = s + g s (1 - s) is missing",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real u, real d, real& dg, real& du) {
         dg = d * u * g * sigmoid(g) * (1 - sigmoid(g));
         du = d * silu(g);
       });
     }},
    {"silu' is taken for s alone: s depends on g as well",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real u, real d, real& dg, real& du) {
         dg = d * u * sigmoid(g);
         du = d * silu(g);
       });
     }},
    {"the factor s of g (1 - s) is missing: silu' = s + s g (1 - s)",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real u, real d, real& dg, real& du) {
         dg = d * u * (sigmoid(g) + g * (1 - sigmoid(g)));
         du = d * silu(g);
       });
     }},
    {"u is missing in dg: y is silu(g) times u",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real, real d, real& dg, real& du) {
         dg = d * slope(g);
         du = d * silu(g);
       });
     }},
    {"du has the sigmoid s as its factor: y is g s u, so the factor is g s",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real u, real d, real& dg, real& du) {
         dg = d * u * slope(g);
         du = d * sigmoid(g);
       });
     }},
    {"the halves are swapped: the gates are the first half of a row, the values the second",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real u, real d, real& dg, real& du) {
         dg = d * silu(u);
         du = d * g * slope(u);
       });
     }},
    {"gates and values are taken in turns, from columns 2 j and 2 j + 1; gates come first, then "
     "all "
     "values",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < x.rows; ++i)
         for (Index j = 0; j < dy.cols; ++j) {
           const real g = x(i, 2 * j), u = x(i, 2 * j + 1);
           dx(i, 2 * j) = dy(i, j) * u * slope(g);
           dx(i, 2 * j + 1) = dy(i, j) * silu(g);
         }
     }},
    {"dy is missing: this is the derivative of y, not of the loss",
     [](Matrix x, Matrix dy, MutableMatrix dx) {
       for_each_pair(x, dy, dx, [](real g, real u, real, real& dg, real& du) {
         dg = u * slope(g);
         du = silu(g);
       });
     }},
};

}  // namespace

Exercise swiglu(SwigluBackward* yours) {
  Exercise exercise{"14_swiglu", "by differences", {}, {}};
  gradient::Maker make(16);
  for (const auto& [rows, F] : {std::pair<Index, Index>{2, 3}, {3, 2}, {1, 1}}) {
    const Tensor x = make.uniform({rows, 2 * F}), dy = make.uniform({rows, F}).detach();
    const gradient::Case c{engine::joined("x ", x.shape()), {x}, [x] { return engine::swiglu(x); }};
    add_trial(exercise, yours, swiglu_mistakes, c.what, by_differences(c, dy, {"dx"}),
              [=](SwigluBackward* f) {
                const Results out = {{"dx", Tensor::zeros(x.shape())}};
                f(matrix("x", x), matrix("dy", dy), mutable_matrix(out[0]));
                return out;
              });
  }
  return exercise;
}

int grade_swiglu(SwigluBackward* yours) { return report(swiglu(yours)); }

}  // namespace exercises
