// Exercise 9: the causal mask.
//
// scores(t, s) (T, T) says how much token t, the query, wants to read from token s, the key. A
// token may read from itself and from the tokens before it, never from those after it. Change in
// place the scores that must not count, such that after
//
//     weights = softmax(scores) along rows
//
// their weights are exactly 0 and each row's other weights sum to 1. The grader takes that softmax.
//
// Derive: which s are hidden from t, and which score becomes a weight of 0?
//
// Read before: tests/tour/4_attention.cpp. `attention` in nn/attention.cpp has the result; derive it
// first.
#include <limits>

#include "tests/exercises/exercise.h"

using namespace exercises;

void mask_scores(MutableMatrix scores) {
  // --- your code instead of the next line: scores(t, s) = ..., t and s < scores.rows ---
  not_done(scores);
}

int main() { return grade_causal_mask(mask_scores); }
