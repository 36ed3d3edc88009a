// Causal attention of two positions with two features, step by step.
#include <cmath>
#include <limits>

#include "engine/ops.h"
#include "nn/attention.h"
#include "tests/book/by_hand/by_hand.h"

using namespace engine;

namespace {

void print(std::ostream& out) {
  const Tensor Q = Tensor::of({{2, 0}, {1, 2}}), K = Tensor::of({{1, 1}, {2, 0}}),
               V = Tensor::of({{4, 0}, {0, 2}});
  const Tensor scores = matmul(Q, transpose(K)) / std::sqrt(2.0);
  const nn::AttentionResult causal = nn::attention(Q, K, V, {.causal = true}, nullptr);
  by_hand::print_rows(out, "Q", Q, 3);
  by_hand::print_rows(out, "K", K, 3);
  by_hand::print_rows(out, "V", V, 3);
  by_hand::print_rows(out, "Q K^T", matmul(Q, transpose(K)), 3);
  by_hand::print_rows(out, "S", scores, 3);
  by_hand::print_rows(
      out, "S, mask",
      masked_fill(scores, causal_mask(2, 2), -std::numeric_limits<real>::infinity()), 3);
  by_hand::print_rows(out, "P", causal.weights, 3);
  by_hand::print_rows(out, "O = P V", causal.context, 3);
}

const by_hand::Registered registered(print);

}  // namespace
