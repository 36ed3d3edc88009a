// Grades exercise 5, backward of softmax, by differences of engine::softmax.
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// <y, dy> of row i: sum_k y_k dy_k.
real dot_of_row(Matrix y, Matrix dy, Index i) {
  real dot = 0;
  for (Index k = 0; k < y.cols; ++k) dot += y(i, k) * dy(i, k);
  return dot;
}

const std::vector<Mistake<SoftmaxBackward>> softmax_mistakes = {
    {"the term -<y, dy> = -sum_k y_k dy_k is missing: every y of a row depends on x(i, j), through "
     "the sum",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < y.rows; ++i)
         for (Index j = 0; j < y.cols; ++j) dx(i, j) = y(i, j) * dy(i, j);
     }},
    {"only the derivative d y_j / d x_j = y_j (1 - y_j) is there, as for a sigmoid; the terms with "
     "k != j are missing",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < y.rows; ++i)
         for (Index j = 0; j < y.cols; ++j) dx(i, j) = y(i, j) * (1 - y(i, j)) * dy(i, j);
     }},
    {"the sum to subtract is that of dy; it has to be weighed with y",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < y.rows; ++i) {
         real sum = 0;
         for (Index j = 0; j < y.cols; ++j) sum += dy(i, j);
         for (Index j = 0; j < y.cols; ++j) dx(i, j) = y(i, j) * (dy(i, j) - sum);
       }
     }},
    {"<y, dy> = sum_k y_k dy_k is summed along the wrong axis, down the columns",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index j = 0; j < y.cols; ++j) {
         real dot = 0;
         for (Index i = 0; i < y.rows; ++i) dot += y(i, j) * dy(i, j);
         for (Index i = 0; i < y.rows; ++i) dx(i, j) = y(i, j) * (dy(i, j) - dot);
       }
     }},
    {"<y, dy> = sum_k y_k dy_k is not set to 0 again for the next row",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       real dot = 0;
       for (Index i = 0; i < y.rows; ++i) {
         for (Index j = 0; j < y.cols; ++j) dot += y(i, j) * dy(i, j);
         for (Index j = 0; j < y.cols; ++j) dx(i, j) = y(i, j) * (dy(i, j) - dot);
       }
     }},
    {"<y, dy> = sum_k y_k dy_k is added; the terms with k != j are negative, so it is subtracted",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < y.rows; ++i) {
         const real dot = dot_of_row(y, dy, i);
         for (Index j = 0; j < y.cols; ++j) dx(i, j) = y(i, j) * (dy(i, j) + dot);
       }
     }},
    {"every sign is opposite: a step of descent would raise the loss",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < y.rows; ++i) {
         const real dot = dot_of_row(y, dy, i);
         for (Index j = 0; j < y.cols; ++j) dx(i, j) = y(i, j) * (dot - dy(i, j));
       }
     }},
    {"the factor y(i, j) is missing: dx(i, j) is y(i, j) times a difference",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < y.rows; ++i) {
         const real dot = dot_of_row(y, dy, i);
         for (Index j = 0; j < y.cols; ++j) dx(i, j) = dy(i, j) - dot;
       }
     }},
    {"dy_j is the factor of every term; term k of the sum has the factor dy_k (so here all "
     "cancels)",
     [](Matrix y, Matrix dy, MutableMatrix dx) {
       for (Index i = 0; i < y.rows; ++i)
         for (Index j = 0; j < y.cols; ++j)
           for (Index k = 0; k < y.cols; ++k)
             dx(i, j) += dy(i, j) * y(i, k) * ((k == j ? 1 : 0) - y(i, j));
     }},
};

}  // namespace

Exercise softmax(SoftmaxBackward* yours) {
  Exercise exercise{"5_softmax", "by differences", {}, {}};
  gradient::Maker make(2);
  for (const auto& [rows, cols] : {std::pair<Index, Index>{3, 5}, {1, 3}}) {
    const Tensor x = make.uniform({rows, cols}), dy = make.uniform({rows, cols});
    const gradient::Case c{
        engine::joined("x ", x.shape()), {x}, [x] { return engine::softmax(x); }};
    add_trial(exercise, yours, softmax_mistakes, c.what, by_differences(c, dy, {"dx"}),
              [=, y = engine::softmax(x)](SoftmaxBackward* f) {
                const Results out = {{"dx", Tensor::zeros(x.shape())}};
                f(matrix("y", y), matrix("dy", dy), mutable_matrix(out[0]));
                return out;
              });
  }
  return exercise;
}

int grade_softmax(SoftmaxBackward* yours) { return report(softmax(yours)); }

}  // namespace exercises
