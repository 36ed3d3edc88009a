// Exercise 6: undo broadcasting.
//
// In y = x + z the operand x may have fewer axes than y, or axes of size 1. By NumPy's rule the
// shapes are aligned at their last axes, and x is repeated along each axis of y that x does not
// have, or in which its size is 1 and y's is not:
//
//     y  (2, 3, 4)         y(i, j, k) = x(j, 0) + ...
//     x     (3, 1)         x is repeated along the first and the last axis of y
//
// Given dy in the shape of y, find dx in the shape of x: element e of dx is the sum of dy over all
// elements of y in which x's element e was used. dy and dx are vectors of all elements, row by row
// (the last index runs fastest); dx is 0 at first. y has y.rank() axes; y[0] is the size of
// the first, y.from_end(1) of the last; x.from_end(i) is 1 for an axis that x does not have.
//
// Derive: which element of x was used in element k of y? Find k's index along each axis first.
//
// Read before: `Shape` in engine/base/shape.h, the comment over `sum_to` in engine/broadcast.h.
// engine/broadcast.cpp does it another way, one axis at a time.
#include "tests/exercises/exercise.h"

using namespace exercises;

void sum_to(Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
  // --- your code instead of the next line: dx[...] += dy[k], k < dy.size ---
  not_done(dy, y, dx, x);
}

int main() { return grade_sum_to(sum_to); }
