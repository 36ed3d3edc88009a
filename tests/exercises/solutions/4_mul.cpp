// Solution of exercise 4. a(i, j) reaches y(i, j) alone; b[j] reaches column j of y, so db sums
// over it. What forward repeats, backward sums.
#include "tests/exercises/exercise.h"

using namespace exercises;

void mul_backward(Matrix a, Vector b, Matrix dy, MutableMatrix da, MutableVector db) {
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.cols; ++j) {
      da(i, j) = dy(i, j) * b[j];
      db[j] += dy(i, j) * a(i, j);
    }
}

int main() { return grade_mul(mul_backward); }
