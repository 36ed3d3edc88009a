// Solution of exercise 7. In a row with target t,
//
//     d (ln sum_k exp(x_k) - x_t) / dx_j = softmax(x)_j - [j = t]
//
// and the mean over the rows that count divides by their number.
#include <cmath>

#include "tests/exercises/exercise.h"

using namespace exercises;

void cross_entropy_backward(Matrix logits, Targets targets, real dloss, MutableMatrix dlogits) {
  real count = 0;
  for (Index i = 0; i < targets.size; ++i)
    if (targets[i] >= 0) ++count;
  for (Index i = 0; i < logits.rows; ++i) {
    if (targets[i] < 0) continue;
    real max = logits(i, 0), sum = 0;
    for (Index j = 0; j < logits.cols; ++j) max = std::fmax(max, logits(i, j));
    for (Index j = 0; j < logits.cols; ++j) sum += std::exp(logits(i, j) - max);
    for (Index j = 0; j < logits.cols; ++j) {
      const real target = j == targets[i] ? 1 : 0;
      dlogits(i, j) = dloss / count * (std::exp(logits(i, j) - max) / sum - target);
    }
  }
}

int main() { return grade_cross_entropy(cross_entropy_backward); }
