// A value that is used twice: the sum over the paths on which it reaches the loss.
#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/book/by_hand/by_hand.h"

using engine::Tape, engine::Tensor;

namespace {

double gradient(const Tensor& x) { return static_cast<double>(x.gradient().value().item()); }

void print(std::ostream& out) {
  Tensor v1 = 7, v2 = 7, v = 7;
  for (Tensor* leaf : {&v1, &v2, &v}) leaf->require_gradient();
  Tape tape;
  tape.backward(v1 * v2);
  by_hand::print(out, "  loss = v1 v2:   dv1 = v2 = %.0f, dv2 = v1 = %.0f\n", gradient(v1),
                 gradient(v2));
  tape.backward(v * v);
  by_hand::print(out, "  loss = v v:     dv = dv1 + dv2 = %.0f\n", gradient(v));
  const auto loss = [](double u) { return u * u; };
  by_hand::print(out, "  by differences: (%.6f - %.6f) / 0.002 = %.3f\n", loss(7.001), loss(6.999),
                 (loss(7.001) - loss(6.999)) / 0.002);
}

const by_hand::Registered registered(print);

}  // namespace
