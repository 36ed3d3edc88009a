// Solution of exercise 10. A hidden key needs no score at all: the loops over s end at t. As
// softmax's sum divides every weight of a row, it may as well divide the context.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/exercises/exercise.h"

using namespace exercises;

void attention_head(Matrix q, Matrix k, Matrix v, MutableMatrix context) {
  std::vector<real> memory(static_cast<std::size_t>(q.rows));
  for (Index t = 0; t < q.rows; ++t) {
    const MutableVector weight{"weight", memory.data(), t + 1};
    for (Index s = 0; s <= t; ++s) {
      weight[s] = 0;
      for (Index d = 0; d < q.cols; ++d) weight[s] += q(t, d) * k(s, d);
      weight[s] /= std::sqrt(static_cast<real>(q.cols));
    }
    const real max = *std::max_element(memory.begin(), memory.begin() + t + 1);
    real sum = 0;
    for (Index s = 0; s <= t; ++s) sum += weight[s] = std::exp(weight[s] - max);
    for (Index s = 0; s <= t; ++s)
      for (Index e = 0; e < v.cols; ++e) context(t, e) += weight[s] / sum * v(s, e);
  }
}

int main() { return grade_attention(attention_head); }
