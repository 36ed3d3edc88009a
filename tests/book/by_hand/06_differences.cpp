// The derivative of exp at 1 by three formulas: their relative errors in double and in float.
#include <cmath>

#include "tests/book/by_hand/by_hand.h"

namespace {

template <class T>
void print_errors(std::ostream& out, int bits) {
  const T h = std::ldexp(T{1}, -bits);
  const auto f = [](T x) { return std::exp(x); };
  const auto central = [&](T step) { return (f(1 + step) - f(1 - step)) / (2 * step); };
  const T one_sided = (f(1 + h) - f(1)) / h, four_points = (4 * central(h) - central(2 * h)) / 3;
  for (const T slope : {one_sided, central(h), four_points})
    by_hand::print(out, " %8.0e", std::fabs(static_cast<double>(slope) / std::exp(1.0) - 1));
}

void print(std::ostream& out) {
  by_hand::print(out, "  %-10s %-29s %s\n", "", "error in double", "error in float");
  by_hand::print(out, "  %-9s  1 side  2 points  4 points    1 side  2 points  4 points\n", "h");
  for (const int bits : {4, 6, 8, 12, 16, 20}) {
    by_hand::print(out, "  1/%-8.0f", std::ldexp(1.0, bits));
    print_errors<double>(out, bits);
    out << "  ";
    print_errors<float>(out, bits);
    out << "\n";
  }
}

const by_hand::Registered registered(print);

}  // namespace
