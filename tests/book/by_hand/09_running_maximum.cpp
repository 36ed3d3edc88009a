// Attention of one query with one key at a time: the maximum, the sum of the weights and the row of the result so far.
// The second position of 08_attention.cpp, its keys from the last to the first, so that the maximum changes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/book/by_hand/by_hand.h"

namespace {

struct Key {
  double score, value[2];
};

void print(std::ostream& out) {
  const Key keys[] = {{2 / std::sqrt(2), {0, 2}}, {3 / std::sqrt(2), {4, 0}}};
  double m = -std::numeric_limits<double>::infinity(), l = 0, o[2] = {0, 0};
  by_hand::print(out, "  %-10s %8s %8s %8s %8s %17s\n", "", "s", "factor", "m", "l", "O");
  for (const Key& key : keys) {
    const double max = std::max(m, key.score), factor = std::exp(m - max),
                 weight = std::exp(key.score - max);
    m = max;
    l = l * factor + weight;
    for (int e = 0; e < 2; ++e) o[e] = o[e] * factor + weight * key.value[e];
    by_hand::print(out, "  %-10s %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f\n",
                   &key == keys ? "key 2" : "key 1", key.score, factor, m, l, o[0], o[1]);
  }
  by_hand::print(out, "  %-46s %8.3f %8.3f\n", "O / l", o[0] / l, o[1] / l);
}

const by_hand::Registered registered(print);

}  // namespace
