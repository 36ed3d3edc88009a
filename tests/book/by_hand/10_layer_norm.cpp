// Layer norm of three numbers, and its backward.
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/book/by_hand/by_hand.h"

using engine::Tensor;

namespace {

void print(std::ostream& out) {
  const Tensor x = Tensor::of({1, 3, 8}).require_gradient();
  const Tensor w = Tensor::of({1, 2, 1}).require_gradient(),
               b = Tensor::of({0, 0, 1}).require_gradient();
  const Tensor dy = Tensor::of({1, -1, 2});
  constexpr double epsilon = 1e-5;
  const Tensor h = (x.detach() - engine::mean(x.detach())) /
                   engine::sqrt(engine::variance(x.detach(), -1, true, 0) + epsilon);
  by_hand::print(out, "  mean %.4f   variance %.4f\n",
                 static_cast<double>(engine::mean(x.detach()).item()),
                 static_cast<double>(engine::variance(x.detach(), -1, true, 0).item()));
  engine::Tape tape;
  const Tensor y = engine::layer_norm(x, w, b, epsilon);
  const Tensor loss = engine::sum(y * dy);
  {
    const engine::Tape::Pause pause;
    const Tensor g = dy * w.detach();
    by_hand::print_rows(out, "x", x.detach(), 4);
    by_hand::print_rows(out, "h", h, 4);
    by_hand::print_rows(out, "y", y.detach(), 4);
    by_hand::print_rows(out, "dy", dy, 4);
    by_hand::print_rows(out, "g = dy w", g, 4);
    by_hand::print(out, "  mean g %.4f   mean g h %.4f\n",
                   static_cast<double>(engine::mean(g).item()),
                   static_cast<double>(engine::mean(g * h).item()));
  }
  tape.backward(loss);
  by_hand::print_rows(out, "dx", x.gradient().value(), 4);
  by_hand::print_rows(out, "dw", w.gradient().value(), 4);
  by_hand::print_rows(out, "db", b.gradient().value(), 4);
}

const by_hand::Registered registered(print);

}  // namespace
