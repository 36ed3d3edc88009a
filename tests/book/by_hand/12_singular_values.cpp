// The singular values of a matrix of two rows, and the first step of Muon's iteration on it.
#include <cmath>

#include "engine/ops.h"
#include "nn/muon.h"
#include "tests/book/by_hand/by_hand.h"

using engine::matmul;
using engine::Tensor;
using engine::transpose;

namespace {

void print(std::ostream& out) {
  const Tensor g = Tensor::of({{3, 0}, {4, 5}});
  const double root10 = std::sqrt(10), root2 = std::sqrt(2), root5 = std::sqrt(5);
  const Tensor u = Tensor::of({{1, 3}, {3, -1}}) / root10,
               v = Tensor::of({{1, 1}, {1, -1}}) / root2,
               s = Tensor::of({{3 * root5, 0}, {0, root5}});
  by_hand::print_rows(out, "G", g, 3);
  by_hand::print_rows(out, "U", u, 3);
  by_hand::print_rows(out, "S", s, 3);
  by_hand::print_rows(out, "V", v, 3);
  by_hand::print_rows(out, "U S V^T", matmul(matmul(u, s), transpose(v)), 3);
  by_hand::print_rows(out, "U V^T", matmul(u, transpose(v)), 3);

  Tensor x = g / engine::sqrt(engine::sum(g * g));
  const Tensor square = matmul(x, transpose(x));
  x = x / engine::sqrt(engine::sqrt(engine::sum(square * square)));
  const Tensor a = matmul(x, transpose(x));
  const Tensor after = 8.0934 * x - 23.6204 * matmul(a, x) + 17.4462 * matmul(a, matmul(a, x));
  by_hand::print_rows(out, "X", x, 3);
  by_hand::print_rows(out, "U^T X V", matmul(matmul(transpose(u), x), v), 3);
  by_hand::print_rows(out, "A", a, 3);
  by_hand::print_rows(out, "1 step", after, 3);
  by_hand::print_rows(out, "U^T X V", matmul(matmul(transpose(u), after), v), 3);

  const Tensor w = Tensor::zeros({2, 2}).require_gradient();
  w.gradient().accumulate(g);
  nn::Muon muon({w}, {.momentum = 0, .weight_decay = 0, .grad_clip = 0});
  muon.apply(1 / (0.2 * root2), 1);
  const Tensor update = -w.detach();
  by_hand::print_rows(out, "3 steps", update, 3);
  by_hand::print_rows(out, "U^T X V", matmul(matmul(transpose(u), update), v), 3);
}

const by_hand::Registered registered(print);

}  // namespace
