// Solution of exercise 20. From the most likely token on, until p is reached: the token with which
// the sum reaches p is kept too. Then each is divided by that sum.
#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/exercises/exercise.h"

using namespace exercises;

void top_p(Vector probabilities, real p, MutableVector kept) {
  std::vector<Index> order(static_cast<std::size_t>(probabilities.size));
  std::iota(order.begin(), order.end(), Index(0));
  std::ranges::sort(order, [&](Index i, Index j) { return probabilities[i] > probabilities[j]; });
  real sum = 0;
  for (const Index i : order) {
    if (sum >= p) break;
    kept[i] = probabilities[i];
    sum += probabilities[i];
  }
  for (Index i = 0; i < kept.size; ++i) kept[i] /= sum;
}

int main() { return grade_top_p(top_p); }
