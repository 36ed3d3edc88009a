// Solution of exercise 12. t_i = sum_l P(i, l) sum_e dO(i, e) v(l, e) = sum_e dO(i, e) O(i, e): two
// short rows, whichever block of keys is looked at.
#include "tests/exercises/exercise.h"

using namespace exercises;

void block_backward(Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds) {
  for (Index i = 0; i < p.rows; ++i) {
    real t = 0;
    for (Index e = 0; e < o.cols; ++e) t += d_o(i, e) * o(i, e);
    for (Index j = 0; j < p.cols; ++j) {
      real dp = 0;
      for (Index e = 0; e < v.cols; ++e) dp += d_o(i, e) * v(j, e);
      ds(i, j) = p(i, j) * (dp - t);
    }
  }
}

int main() { return grade_block_backward(block_backward); }
