// Solution of exercise 9. Hidden are the keys after the query, s > t; exp(-inf) is 0.
#include <limits>

#include "tests/exercises/exercise.h"

using namespace exercises;

void mask_scores(MutableMatrix scores) {
  for (Index t = 0; t < scores.rows; ++t)
    for (Index s = t + 1; s < scores.cols; ++s)
      scores(t, s) = -std::numeric_limits<real>::infinity();
}

int main() { return grade_causal_mask(mask_scores); }
