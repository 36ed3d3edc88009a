// A right gradient checked with too large a step, and a wrong one: how far each is from the differences
// with four points, for three steps, in float.
#include <cmath>

#include "tests/book/by_hand/by_hand.h"

namespace {

template <class F>
void print_gap(std::ostream& out, F f, float x, float h, double backward) {
  const auto central = [&](float step) { return (f(x + step) - f(x - step)) / (2 * step); };
  const double slope = static_cast<double>((4 * central(h) - central(2 * h)) / 3);
  by_hand::print(out, "  %13.4f %11.4f %8.4f", slope, backward, std::fabs(slope - backward));
}

void print(std::ostream& out) {
  const auto tanh = [](float x) { return std::tanh(20 * x); };
  const auto bell = [](float x) { return std::exp(-x * x); };
  by_hand::print(out, "  %-5s  %-33s    %s\n", "", "tanh(20 x) at 0, backward right",
                 "exp(-x^2) at 0.25, backward wrong");
  by_hand::print(out, "  %-5s", "h");
  for (int i = 0; i < 2; ++i)
    by_hand::print(out, "  %13s %11s %8s", "differences", "backward", "gap");
  out << "\n";
  for (const int bits : {6, 7, 8}) {
    const float h = std::ldexp(1.0F, -bits);
    by_hand::print(out, "  1/%-3.0f", std::ldexp(1.0, bits));
    print_gap(out, tanh, 0, h, 20);
    print_gap(out, bell, 0.25F, h, -0.25 * std::exp(-0.0625));  // -x y, where it is -2 x y
    out << "\n";
  }
}

const by_hand::Registered registered(print);

}  // namespace
