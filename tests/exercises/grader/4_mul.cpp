// Grades exercise 4, backward of mul with broadcasting, by differences of engine::mul.
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

const std::vector<Mistake<MulBackward>> mul_mistakes = {
    {"db[j] is overwritten in every row; b[j] reaches all rows of y: sum the terms of all rows",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       for (Index i = 0; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) {
           da(i, j) = dy(i, j) * b[j];
           db[j] = dy(i, j) * a(i, j);
         }
     }},
    {"db[j] has the term of row 0 only; b[j] reaches every row of y",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       for (Index i = 0; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) da(i, j) = dy(i, j) * b[j];
       for (Index j = 0; j < a.cols; ++j) db[j] = dy(0, j) * a(0, j);
     }},
    {"db[j] is the mean over the rows; the chain rule asks for the sum",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       for (Index i = 0; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) {
           da(i, j) = dy(i, j) * b[j];
           db[j] += dy(i, j) * a(i, j) / static_cast<real>(a.rows);
         }
     }},
    {"the sum is not set to 0 again for the next column",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       real sum = 0;
       for (Index j = 0; j < a.cols; ++j) {
         for (Index i = 0; i < a.rows; ++i) {
           da(i, j) = dy(i, j) * b[j];
           sum += dy(i, j) * a(i, j);
         }
         db[j] = sum;
       }
     }},
    {"every sign is opposite: a step of descent would raise the loss",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       for (Index i = 0; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) {
           da(i, j) = -dy(i, j) * b[j];
           db[j] -= dy(i, j) * a(i, j);
         }
     }},
    {"dy is missing: this is the derivative of y, not of the loss",
     [](Matrix a, Vector b, Matrix, MutableMatrix da, MutableVector db) {
       for (Index i = 0; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) {
           da(i, j) = b[j];
           db[j] += a(i, j);
         }
     }},
    {"the factors are swapped: da takes b, and db takes a",
     [](Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
       for (Index i = 0; i < a.rows; ++i)
         for (Index j = 0; j < a.cols; ++j) {
           da(i, j) = dy(i, j) * a(i, j);
           db[j] += dy(i, j) * b[j];
         }
     }},
};

}  // namespace

Exercise mul(MulBackward* yours) {
  Exercise exercise{"4_mul", "by differences", {}, {}};
  gradient::Maker make(1);
  // The first trial is the one a learner sees most: a general case, not a single row.
  for (const auto& [rows, cols] : {std::pair<Index, Index>{3, 4}, {5, 2}, {1, 3}}) {
    const Tensor a = make.uniform({rows, cols}), b = make.uniform({cols}),
                 dy = make.uniform({rows, cols});
    const gradient::Case c{
        engine::joined("a ", a.shape(), ", b ", b.shape()), {a, b}, [a, b] { return a * b; }};
    add_trial(
        exercise, yours, mul_mistakes, c.what, by_differences(c, dy, {"da", "db"}),
        [=](MulBackward* f) {
          const Results out = {{"da", Tensor::zeros(a.shape())}, {"db", Tensor::zeros(b.shape())}};
          f(matrix("a", a), vector("b", b), matrix("dy", dy), mutable_matrix(out[0]),
            mutable_vector(out[1]));
          return out;
        });
  }
  return exercise;
}

int grade_mul(MulBackward* yours) { return report(mul(yours)); }

}  // namespace exercises
