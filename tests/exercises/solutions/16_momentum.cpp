// Solution of exercise 16. With a constant g, and without decay, v comes to g / (1 - momentum): with
// momentum 0.9 the steps are ten times as long. lr stays outside v, so that a step with a smaller lr
// is shorter at once.
#include "tests/exercises/exercise.h"

using namespace exercises;

void momentum_step(MutableVector w, MutableVector v, Vector g, real lr, real momentum, real decay) {
  for (Index j = 0; j < w.size; ++j) {
    v[j] = momentum * v[j] + g[j] + decay * w[j];
    w[j] -= lr * v[j];
  }
}

int main() { return grade_momentum(momentum_step); }
