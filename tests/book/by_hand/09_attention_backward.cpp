// Backward of the two positions of 08_attention.cpp: by the formulas, and by the fused op.
#include <cmath>

#include "engine/attention.h"
#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/attention.h"
#include "tests/book/by_hand/by_hand.h"

using namespace engine;

namespace {

void print(std::ostream& out) {
  const Tensor Q = Tensor::of({{2, 0}, {1, 2}}), K = Tensor::of({{1, 1}, {2, 0}}),
               V = Tensor::of({{4, 0}, {0, 2}}), dO = Tensor::of({{1, 1}, {1, -1}});
  const double scale = 1 / std::sqrt(2.0);
  const auto [O, P] = nn::attention(Q, K, V, {.causal = true}, nullptr);
  const Tensor dP = matmul(dO, transpose(V)), t = sum(dO * O, 1, true), dS = P * (dP - t);
  by_hand::print_rows(out, "dO", dO, 3);
  by_hand::print_rows(out, "dP", dP, 3);
  by_hand::print_rows(out, "t", t, 3);
  by_hand::print_rows(out, "dS", dS, 3);
  by_hand::print_rows(out, "dQ", matmul(dS, K) * scale, 3);
  by_hand::print_rows(out, "dK", matmul(transpose(dS), Q) * scale, 3);
  by_hand::print_rows(out, "dV", matmul(transpose(P), dO), 3);

  Tensor qkv = concat({Q, K, V}, 1).reshape({1, 2, 6});
  qkv.require_gradient();
  Tape tape;
  tape.backward(self_attention(qkv, 1, 0, nullptr), dO.reshape({1, 2, 2}));
  by_hand::print(out, "\n  the fused op: dQ, dK and dV side by side\n");
  by_hand::print_rows(out, "dqkv", qkv.gradient().value(), 3);
}

const by_hand::Registered registered(print);

}  // namespace
