// The three steps of Muon's iteration: what each makes of its interval, and of the singular values 0.1 and 1.
#include <algorithm>
#include <cmath>

#include "tests/book/by_hand/by_hand.h"

namespace {

// As in nn/muon.cpp.
constexpr double steps[3][3] = {
    {8.0934, -23.6204, 17.4462}, {3.6366, -2.7219, 0.5365}, {2.6613, -1.9772, 0.4526}};

double after(const double (&step)[3], double s) {
  return step[0] * s + step[1] * std::pow(s, 3) + step[2] * std::pow(s, 5);
}

void print(std::ostream& out) {
  double low = 0.01, high = 1, small = 0.1, large = 1;
  by_hand::print(
      out, "  step         a         b         c   for s in       error   s = 0.1     s = 1\n");
  for (int i = 0; i < 3; ++i) {
    double error = 0;
    for (int j = 0; j <= 10'000; ++j)
      error = std::max(error, std::fabs(after(steps[i], low + (high - low) * j / 10'000) - 1));
    small = after(steps[i], small);
    large = after(steps[i], large);
    by_hand::print(out, "  %d     %9.4f %9.4f %9.4f   [%.2f, %.2f]    %.2f    %.4f    %.4f\n",
                   i + 1, steps[i][0], steps[i][1], steps[i][2], low, high, error, small, large);
    low = 1 - error;
    high = 1 + error;
  }
}

const by_hand::Registered registered(print);

}  // namespace
