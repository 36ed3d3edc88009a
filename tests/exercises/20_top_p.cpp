// Exercise 20: top-p (nucleus) sampling, up to the draw.
//
// A model gives each of V tokens a probability; most of the V are very unlikely, but together they
// are drawn too often. Top-p draws from the nucleus alone: the smallest set of the most likely
// tokens that together have a probability of p or more. Given probabilities (V), which sum to 1,
// and 0 < p <= 1, find
//
//     kept (V): 0 outside the nucleus, and inside it probabilities again: they sum to 1
//
// The most likely token is always in the nucleus. There are no ties at the edge of the nucleus.
//
// Read before: model/generate/sampler.h. The engine's own version is
// Sampler::keep_top_p in sampler.cpp; it does not divide by the sum, since its draw needs no
// normalized probabilities.
#include <algorithm>
#include <vector>

#include "tests/exercises/exercise.h"

using namespace exercises;

void top_p(Vector probabilities, real p, MutableVector kept) {
  // --- your code instead of the next line: kept[i] = ..., i < probabilities.size ---
  not_done(probabilities, p, kept);
}

int main() { return grade_top_p(top_p); }
