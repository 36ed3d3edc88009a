// Exercise 4: backward of a product with broadcasting.
//
//     y(i, j) = a(i, j) b[j]          a (R, C), b (C): every row of a meets the same b
//
// Given dy(i, j) = d loss / d y(i, j), find
//
//     da(i, j) = d loss / d a(i, j)   (R, C)
//     db[j]    = d loss / d b[j]      (C)
//
// (da and db are 0 at first.)
//
// Derive: which elements of y does a(i, j) reach, and which does b[j]? The chain rule adds a term
// for each of them.
//
// Read before: tests/tour/1_one_number.cpp. The comment over `mul` in engine/ops/arithmetic.cpp has the
// result; derive it first.
#include "tests/exercises/exercise.h"

using namespace exercises;

void mul_backward(Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
  // --- your code instead of the next line: da(i, j) = ..., db[j] ..., i < a.rows, j < a.cols ---
  not_done(a, b, dy, da, db);
}

int main() { return grade_mul(mul_backward); }
