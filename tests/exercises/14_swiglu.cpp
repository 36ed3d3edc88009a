// Exercise 14: backward of swiglu.
//
// A row of x has 2 F numbers: F gates g, then F values u. With the sigmoid s = 1 / (1 + e^-g),
//
//     y(i, j) = silu(g) u,   silu(g) = g s,   g = x(i, j), u = x(i, j + F),   j < F
//
// Given x (R, 2 F) and dy = d loss / d y (R, F), find
//
//     dx (R, 2 F)   dg in its first half, du in its second
//
// Derive: silu'(g). (ds/dg = s (1 - s), chapter 7.) At g = 0 it is 1/2: a check for your formula.
//
// Read before: chapter 10 of the book. engine/ops/swiglu.cpp opens with the result; derive it first.
#include <cmath>

#include "tests/exercises/exercise.h"

using namespace exercises;

void swiglu_backward(Matrix x, Matrix dy, MutableMatrix dx) {
  // --- your code instead of the next line: dx(i, j) = ..., dx(i, j + F) = ..., j < F = dy.cols ---
  not_done(x, dy, dx);
}

int main() { return grade_swiglu(swiglu_backward); }
