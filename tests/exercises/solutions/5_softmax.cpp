// Solution of exercise 5. In a row, d y_k / d x_j = y_k ([k = j] - y_j), where [k = j] is 1 if k =
// j, else 0. With the given dy_k and <y, dy> = sum_k y_k dy_k,
//
//     dx_j = sum_k dy_k y_k ([k = j] - y_j) = y_j (dy_j - <y, dy>)
#include "tests/exercises/exercise.h"

using namespace exercises;

void softmax_backward(Matrix y, Matrix dy, MutableMatrix dx) {
  for (Index i = 0; i < y.rows; ++i) {
    real dot = 0;
    for (Index j = 0; j < y.cols; ++j) dot += y(i, j) * dy(i, j);
    for (Index j = 0; j < y.cols; ++j) dx(i, j) = y(i, j) * (dy(i, j) - dot);
  }
}

int main() { return grade_softmax(softmax_backward); }
