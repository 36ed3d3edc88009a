// Solution of exercise 2. In a row, dy_k/dx_j = y_k ([k = j] - y_j), so
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
