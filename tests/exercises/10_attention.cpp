// Exercise 10: one head of causal attention, forward.
//
// q and k (T, D), v (T, E) -> context (T, E), in four steps:
//
//     scores(t, s)  = the dot product of row t of q and row s of k, divided by the square root of the
//                     number of terms in it
//     masked        : token t sees the keys s <= t (exercise 9)
//     weights(t, s) = softmax of row t of the masked scores: how token t divides its attention
//     context(t, e) = the mean of v(s, e) over s, weighed with weights(t, s)
//
// The loops are yours; a std::vector<real> of T numbers is enough memory for one query.
//
// Read before: exercise 9; tests/tour/4_attention.cpp. `attention` in nn/attention.cpp is the same in
// ops on whole tensors.
#include <cmath>
#include <vector>

#include "tests/exercises/exercise.h"

using namespace exercises;

void attention_head(Matrix q, Matrix k, Matrix v, MutableMatrix context) {
  // --- your code instead of the next line: context(t, e) = ..., t < q.rows, e < v.cols ---
  not_done(q, k, v, context);
}

int main() { return grade_attention(attention_head); }
