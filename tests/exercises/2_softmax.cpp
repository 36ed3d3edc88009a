// Exercise 2: backward of softmax along rows.
//
//     y(i, j) = exp(x(i, j)) / sum_k exp(x(i, k))      x, y (R, C)
//
// Given y and dy = d loss / d y, both (R, C), find
//
//     dx(i, j) = d loss / d x(i, j)                    (R, C)
//
// Derive: within a row every y depends on every x. Find dy_k/dx_j for k = j and for k != j, in terms
// of y only; then sum over k with the weights dy_k. What all j of a row share is computed once.
//
// Read before: exercise 1. `softmax` in engine/ops/softmax.cpp has the result; derive it first.
#include "tests/exercises/exercise.h"

using namespace exercises;

void softmax_backward(Matrix y, Matrix dy, MutableMatrix dx) {
  // --- your code instead of the next line: dx(i, j) = ..., i < y.rows, j < y.cols ---
  not_done(y, dy, dx);
}

int main() { return grade_softmax(softmax_backward); }
