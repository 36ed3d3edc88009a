// Solution of exercise 14. silu(g) = g s, so silu'(g) = s + g s (1 - s) = s (1 + g (1 - s)). y is a
// product: dg gets the factor u silu'(g), and du the factor silu(g).
#include <cmath>

#include "tests/exercises/exercise.h"

using namespace exercises;

void swiglu_backward(Matrix x, Matrix dy, MutableMatrix dx) {
  const Index F = dy.cols;
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < F; ++j) {
      const real g = x(i, j), u = x(i, j + F), s = 1 / (1 + std::exp(-g));
      dx(i, j) = dy(i, j) * u * s * (1 + g * (1 - s));
      dx(i, j + F) = dy(i, j) * g * s;
    }
}

int main() { return grade_swiglu(swiglu_backward); }
