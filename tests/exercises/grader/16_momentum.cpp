// Grades exercise 16, SGD with momentum: w and v after three steps, with another gradient and
// another lr at each.
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// For every j: step(w, v, g + decay w).
template <class Step>
void for_each_element(MutableVector w, MutableVector v, Vector g, real decay, Step step) {
  for (Index j = 0; j < w.size; ++j) step(w[j], v[j], g[j] + decay * w[j]);
}

const std::vector<Mistake<MomentumStep>> momentum_mistakes = {
    {"w moves by this step's gradient alone: momentum v, of the steps before, is missing",
     [](MutableVector w, MutableVector v, Vector g, real lr, real, real decay) {
       for_each_element(w, v, g, decay, [=](real& p, real& u, real d) { p -= lr * (u = d); });
     }},
    {"momentum is missing: every gradient of the past counts as much as today's",
     [](MutableVector w, MutableVector v, Vector g, real lr, real, real decay) {
       for_each_element(w, v, g, decay, [=](real& p, real& u, real d) { p -= lr * (u += d); });
     }},
    {"lr is inside the velocity: in PyTorch's form it multiplies v when w moves",
     [](MutableVector w, MutableVector v, Vector g, real lr, real momentum, real decay) {
       for_each_element(w, v, g, decay,
                        [=](real& p, real& u, real d) { p -= (u = momentum * u + lr * d); });
     }},
    {"w moves along the velocity; the loss falls against it",
     [](MutableVector w, MutableVector v, Vector g, real lr, real momentum, real decay) {
       for_each_element(w, v, g, decay,
                        [=](real& p, real& u, real d) { p += lr * (u = momentum * u + d); });
     }},
    {"the gradient is damped by 1 - momentum; in this form it counts in full",
     [](MutableVector w, MutableVector v, Vector g, real lr, real momentum, real decay) {
       for_each_element(w, v, g, decay, [=](real& p, real& u, real d) {
         p -= lr * (u = momentum * u + (1 - momentum) * d);
       });
     }},
    {"w moves by the old velocity: update v first",
     [](MutableVector w, MutableVector v, Vector g, real lr, real momentum, real decay) {
       for_each_element(w, v, g, decay, [=](real& p, real& u, real d) {
         p -= lr * u;
         u = momentum * u + d;
       });
     }},
    {"decay w is missing in the velocity: it is part of the gradient here, not a step of its own",
     [](MutableVector w, MutableVector v, Vector g, real lr, real momentum, real) {
       for_each_element(w, v, g, 0,
                        [=](real& p, real& u, real d) { p -= lr * (u = momentum * u + d); });
     }},
};

}  // namespace

Exercise momentum(MomentumStep* yours) {
  Exercise exercise{"16_momentum", "expected", {}, {}};
  gradient::Maker make(14);
  const auto trial = [&](Index n, real factor, real decay) {
    constexpr int steps = 3;
    const Tensor w = make.uniform({n}).detach(), v = make.uniform({n}).detach(),
                 g = make.uniform({steps, n}).detach();
    const auto lr = [](int step) { return real(0.1) / static_cast<real>(step + 1); };
    Tensor right_w = w, right_v = v;
    for (int i = 0; i < steps; ++i) {
      right_v = factor * right_v + g[i] + decay * right_w;
      right_w = right_w - lr(i) * right_v;
    }
    add_trial(exercise, yours, momentum_mistakes,
              engine::joined("w ", w.shape(), ", momentum ", factor, ", decay ", decay,
                             ": after three steps"),
              {{"w", right_w}, {"v", right_v}}, [=](MomentumStep* f) {
                const Results out = {{"w", w.clone()}, {"v", v.clone()}};
                for (int i = 0; i < steps; ++i)
                  f(mutable_vector(out[0]), mutable_vector(out[1]), vector("g", g[i]), lr(i),
                    factor, decay);
                return out;
              });
  };
  trial(3, real(0.9), real(0.1));
  trial(5, real(0.5), 0);
  trial(1, 0, real(0.01));
  return exercise;
}

int grade_momentum(MomentumStep* yours) { return report(momentum(yours)); }

}  // namespace exercises
