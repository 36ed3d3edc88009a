// Tour, 1 of 8: one number. What backward does, by hand and by the tape.
//
// A tape writes down each op while the forward pass runs. Backward reads the list from its end:
// each op gets dy, which is how much the loss changes with its result, and adds to its inputs'
// slots how much the loss changes with them. This is the chain rule, one op at a time.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "engine/ops.h"
#include "engine/tape.h"

using namespace engine;

namespace {

struct Named {
  std::string name;
  Tensor x;
};

// Prints each op after its backward (a tape tells its observer, if it has one): dy, and the slots of
// the named tensors at that moment.
struct Unwinding : Tape::Observer {
  std::vector<Named> shown;
  void recorded(const char*, const Gradient&, std::span<const Gradient>) override {}
  void ran_backward(const char* op, const Gradient& y, const Tensor& dy) override {
    const auto result = std::find_if(shown.begin(), shown.end(),
                                     [&](const Named& named) { return named.x.gradient() == y; });
    std::printf("  %-4s gives %s, dy = %5.1f; filled slots:", op, result->name.c_str(),
                static_cast<double>(dy.item()));
    for (const Named& named : shown)
      if (named.x.gradient().written())
        std::printf(" d%s = %.1f", named.name.c_str(),
                    static_cast<double>(named.x.gradient().value().item()));
    std::printf("\n");
  }
};

double item(const Tensor& x) { return static_cast<double>(x.item()); }
double gradient(const Tensor& x) { return item(x.gradient().value()); }

void square_of_a_sum() {
  std::printf("loss = (x w + b)^2 with x = 3, w = 2, b = 1\n\nby hand:\n");
  const double x0 = 3, w0 = 2, b0 = 1;
  const double u0 = x0 * w0, v0 = u0 + b0, loss0 = v0 * v0;  // forward
  const double dv = 2 * v0;                                  // loss = v^2
  const double du = dv, db = dv;                             // v = u + b
  const double dx = du * w0, dw = du * x0;                   // u = x w
  std::printf("  loss = %.1f, dx = %.1f, dw = %.1f, db = %.1f\n\nby the tape:\n", loss0, dx, dw,
              db);

  Tensor x = 3, w = 2, b = 1;
  for (Tensor* leaf : {&x, &w, &b}) leaf->require_gradient();
  Unwinding unwinding;
  Tape tape;
  tape.observe(&unwinding);
  const Tensor u = x * w, v = u + b, loss = v * v;
  unwinding.shown = {{"x", x}, {"w", w}, {"b", b}, {"u", u}, {"v", v}, {"loss", loss}};
  std::printf("  loss = %.1f, %d ops recorded; the last one first:\n", item(loss),
              static_cast<int>(tape.size()));
  tape.backward(loss);
  std::printf("  loss = %.1f, dx = %.1f, dw = %.1f, db = %.1f\n", item(loss), gradient(x),
              gradient(w), gradient(b));
  std::printf(
      "  v * v uses v twice: its slot is a sum, 7 + 7. u and v are no leaves: the slot of a\n"
      "  result is emptied when its op runs backward. x, w and b keep theirs.\n\n");
}

// The example of micrograd's README, op by op.
void micrograd() {
  std::printf("micrograd's example:\n");
  Tensor a = -4, b = 2;
  a.require_gradient();
  b.require_gradient();
  Tape tape;
  Tensor c = a + b;
  Tensor d = a * b + pow(b, 3);
  c = c + (c + 1);
  c = c + (1 + c + -a);
  d = d + (d * 2 + relu(b + a));
  d = d + (3 * d + relu(b - a));
  const Tensor e = c - d, f = pow(e, 2);
  Tensor g = f / 2;
  g = g + 10 / f;
  tape.backward(g);
  std::printf("  g = %.4f, dg/da = %.4f, dg/db = %.3f\n", item(g), gradient(a), gradient(b));
  std::printf("  (micrograd, in double: 24.7041, 138.8338, 645.5773; a float has seven digits)\n");
  std::printf(
      "  c is a new tensor at each line; the tape still holds what the old ones saved.\n\n");
}

}  // namespace

int main() {
  square_of_a_sum();
  micrograd();
  std::printf("next: make tour N=2 (tests/tour/2_graph.cpp)\n");
}
