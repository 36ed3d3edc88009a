// Solution of exercise 8. From y (1 + e) = 1, e y = 1 - y: so e y^2 = y (1 - y), and y is enough.
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/exercises/exercise.h"

using namespace exercises;

Tensor scaled_sigmoid(const Tensor& x, real c) {
  const Tensor e = exp(-c * x.detach()), y = 1 / (1 + e);
  return engine::record(
      "scaled_sigmoid", y, {x.gradient()},
      [y, c, dx = x.gradient()](const Tensor& dy) { dx.accumulate(dy * c * y * (1 - y)); });
}

int main() { return grade_record(scaled_sigmoid); }
