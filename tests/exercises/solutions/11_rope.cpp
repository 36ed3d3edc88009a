// Solution of exercise 11. x(t, i) reaches y(t, i) with the factor cos a and y(t, i + D/2) with
// sin a; x(t, i + D/2) reaches them with -sin a and cos a. That is dy turned by -a: the transpose of
// a rotation is the rotation back.
#include <cmath>

#include "tests/exercises/exercise.h"

using namespace exercises;

void rope_backward(Matrix dy, Matrix angle, MutableMatrix dx) {
  const Index half = angle.cols;
  for (Index t = 0; t < dy.rows; ++t)
    for (Index i = 0; i < half; ++i) {
      const real c = std::cos(angle(t, i)), s = std::sin(angle(t, i));
      dx(t, i) = dy(t, i) * c + dy(t, i + half) * s;
      dx(t, i + half) = -dy(t, i) * s + dy(t, i + half) * c;
    }
}

int main() { return grade_rope(rope_backward); }
