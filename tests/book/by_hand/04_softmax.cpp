// Backward of softmax for three numbers: by its whole Jacobian, and as the op computes it.
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/book/by_hand/by_hand.h"

using namespace engine;

namespace {

void print(std::ostream& out) {
  Tensor x = Tensor::of({1, 2, 3});
  x.require_gradient();
  Tape tape;
  const Tensor y = softmax(x), dy = Tensor::of({1, 2, 0});
  by_hand::print_rows(out, "x", x, 4);
  by_hand::print_rows(out, "y", y, 4);
  by_hand::print_rows(out, "dy", dy, 4);
  tape.backward(y, dy);

  const Tensor p = y.detach(), one = Tensor::of({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const Tensor J = p.reshape({3, 1}) * (one - p);  // J_ij = y_i ([i = j] - y_j)
  by_hand::print_rows(out, "J", J, 4);
  by_hand::print_rows(out, "dy^T J", matmul(dy, J), 4);
  by_hand::print(out, "\n  y . dy = %.4f\n", static_cast<double>(sum(p * dy).item()));
  by_hand::print_rows(out, "dx", x.gradient().value(), 4);
}

const by_hand::Registered registered(print);

}  // namespace
