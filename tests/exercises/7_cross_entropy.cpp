// Exercise 7: backward of cross-entropy, from the loss to the logits.
//
//     loss = mean over the rows i with targets[i] >= 0 of  -ln softmax(logits row i)[targets[i]]
//
// logits (N, V); targets (N), each in 0 .. V - 1, or -1: that row is ignored, as if it were not
// there. So the mean divides by count, the number of rows that are not ignored; there is always
// one. Given dloss (one number: how much the final result changes with this loss; 1 if the loss is
// the end), find
//
//     dlogits (N, V)
//
// Derive: write -ln softmax(x)[t] as ln sum_j exp(x_j) - x_t, then differentiate with respect to
// x_j, for j != t and for j = t. Logits may be about 1000 in one row and about -1000 in the next;
// exp(1000) is infinite and exp(-1000) is 0. softmax does not change if the same number is
// subtracted from every logit of a row.
//
// Read before: exercise 5; `cross_entropy` in engine/ops/cross_entropy.cpp has the result.
#include <cmath>

#include "tests/exercises/exercise.h"

using namespace exercises;

void cross_entropy_backward(Matrix logits, Targets targets, real dloss, MutableMatrix dlogits) {
  // --- your code instead of the next line: dlogits(i, j) = ... ---
  not_done(logits, targets, dloss, dlogits);
}

int main() { return grade_cross_entropy(cross_entropy_backward); }
