// Exercise 5: backward of softmax along rows.
//
//     y(i, j) = exp(x(i, j)) / sum_k exp(x(i, k))      x, y (R, C)
//
// Given y and dy = d loss / d y, both (R, C), find
//
//     dx(i, j) = d loss / d x(i, j)                    (R, C)
//
// Derive: within a row every y depends on every x. Write y_k, x_j for y(i, k), x(i, j), and
// D(k, j) = d y_k / d x_j for the derivative of softmax itself, not to be confused with the given
// number dy_k = d loss / d y_k. Find D(k, j) for k = j and for k != j, in terms of y only. Then, by
// the chain rule,
//
//     dx_j = sum_k dy_k D(k, j)
//
// Find the part of that sum that is the same for all j of a row, and compute it once per row.
//
// Read before: exercise 4. `softmax` in engine/ops/softmax.cpp has the result; derive it first.
#include "tests/exercises/exercise.h"

using namespace exercises;

void softmax_backward(Matrix y, Matrix dy, MutableMatrix dx) {
  // --- your code instead of the next line: dx(i, j) = ..., i < y.rows, j < y.cols ---
  not_done(y, dy, dx);
}

int main() { return grade_softmax(softmax_backward); }
