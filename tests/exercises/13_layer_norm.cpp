// Exercise 13: backward of layer normalization.
//
//     y(i, j) = weight[j] h(i, j) + bias[j],   h(i, j) = (x(i, j) - mean_i) r_i
//     r_i = 1 / sqrt(variance_i + epsilon)
//
// where mean_i and variance_i are of row i of x, and variance divides by C. x (R, C), weight and
// bias (C). Given dy = d loss / d y (R, C), find
//
//     dx      (R, C)
//     dweight (C)
//     dbias   (C)
//
// Derive: x(i, j) reaches y in three ways: directly, through mean_i and through r_i. With
// g(i, j) = dy(i, j) weight[j], which is d loss / d h(i, j), dx is r_i times a sum of three terms.
//
// Read before: exercises 4 and 5. engine/ops/layer_norm.cpp opens with the result; derive it first.
#include <cmath>

#include "tests/exercises/exercise.h"

using namespace exercises;

void layer_norm_backward(Matrix x, Vector weight, Matrix dy, real epsilon, MutableMatrix dx,
                         MutableVector dweight, MutableVector dbias) {
  // --- your code instead of the next line: dx(i, j) = ..., dweight[j] ..., dbias[j] ... ---
  not_done(x, weight, dy, epsilon, dx, dweight, dbias);
}

int main() { return grade_layer_norm(layer_norm_backward); }
