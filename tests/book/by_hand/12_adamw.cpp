// The first updates of two weights by AdamW, the gradients of one a thousand times those of the other.
#include <cmath>

#include "nn/adamw.h"
#include "tests/book/by_hand/by_hand.h"

using engine::Tensor;

namespace {

void print(std::ostream& out) {
  const double gradients[][2] = {{0.5, 0.0005}, {0.3, 0.0003}, {-0.4, -0.0004}};
  const Tensor p = Tensor::of({1, 1}).require_gradient();
  nn::AdamW optimizer({p}, {.beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0, .grad_clip = 0});
  constexpr double rate = 0.01;
  by_hand::print(out,
                 "  t        g         m         v    m/rest  sqrt(v/rest)      step        p\n");
  int t = 0;
  for (const auto& g : gradients) {
    const double before[] = {static_cast<double>(p.at({0})), static_cast<double>(p.at({1}))};
    p.gradient().accumulate(Tensor::of({g[0], g[1]}));
    optimizer.step(rate);
    ++t;
    for (const int i : {0, 1}) {
      const double m = static_cast<double>(optimizer.first_moment(0)[i]),
                   v = static_cast<double>(optimizer.second_moment(0)[i]),
                   after = static_cast<double>(p.at({i}));
      by_hand::print(out, "  %d  %7.4f  %8.6f  %8.2e  %8.6f  %12.6f  %8.5f  %7.5f\n", t, g[i], m, v,
                     m / (1 - std::pow(0.9, t)), std::sqrt(v / (1 - std::pow(0.99, t))),
                     after - before[i], after);
    }
  }
}

const by_hand::Registered registered(print);

}  // namespace
