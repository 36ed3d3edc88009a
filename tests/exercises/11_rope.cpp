// Exercise 11: backward of rotary position embedding.
//
// A head has D features. At position t, features i and i + D/2 (i < D/2) are the two coordinates of
// a point, which is turned by the angle a = angle(t, i):
//
//     y(t, i)        = x(t, i) cos a - x(t, i + D/2) sin a
//     y(t, i + D/2)  = x(t, i) sin a + x(t, i + D/2) cos a
//
//     x, y, dy, dx  (T, D)          angle  (T, D/2)
//
// Given dy(t, j) = d loss / d y(t, j), find dx(t, j) = d loss / d x(t, j). x is not needed: the
// rotation is linear in it.
//
// Derive: which two elements of y does x(t, i) reach, and which does x(t, i + D/2)? What does the
// result do to the point (dy(t, i), dy(t, i + D/2))?
//
// Read before: the comment over `rope` in engine/ops.h. The one at the top of engine/ops/rope.cpp has
// the result; derive it first. (tests/articles/rotary.cpp pairs neighbors instead, as the paper
// does.)
#include "tests/exercises/exercise.h"

using namespace exercises;

void rope_backward(Matrix dy, Matrix angle, MutableMatrix dx) {
  // --- your code instead of the next line: dx(t, i) = ..., t < dy.rows, i < angle.cols ---
  not_done(dy, angle, dx);
}

int main() { return grade_rope(rope_backward); }
