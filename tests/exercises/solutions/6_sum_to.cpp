// Solution of exercise 6. k is taken apart into an index for each axis, the last axis first, and
// put together again with x's strides. Along a repeated axis all indices mean index 0 of x.
#include "tests/exercises/exercise.h"

using namespace exercises;

void sum_to(Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
  for (Index k = 0; k < dy.size; ++k) {
    Index rest = k, element = 0, stride = 1;
    for (int i = 1; i <= y.rank(); ++i) {
      const Index index = rest % y.from_end(i);
      rest /= y.from_end(i);
      if (x.from_end(i) != 1) element += index * stride;
      stride *= x.from_end(i);
    }
    dx[element] += dy[k];
  }
}

int main() { return grade_sum_to(sum_to); }
