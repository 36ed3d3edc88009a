#include "nn/adamw.h"

#include <cmath>

#include "engine/kernels/elementwise.h"

namespace nn {

using engine::kernels::broadcast;
using engine::kernels::Vec;

AdamW::AdamW(std::vector<ParameterGroup> groups, const AdamWOptions& options)
    : Optimizer({"AdamW", std::move(groups)}, options.grad_clip),
      options_(options),
      m_(parameters_.zeros()),
      v_(parameters_.zeros()) {}

void AdamW::set_steps(Index steps) {
  engine::check(0 <= steps && steps <= Index(1) << 53, "AdamW: ", steps,
                " steps, expected 0 to 2^53");
  steps_ = steps;
}

// m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,  with g times `scale`; then
// p = p (1 - lr decay) - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) in update t.
void AdamW::apply(double lr, double scale) {
  ++steps_;
  const auto t = static_cast<double>(steps_);
  const Vec clip = broadcast(scale);
  const Vec beta1 = broadcast(options_.beta1), rest1 = broadcast(1 - options_.beta1);
  const Vec beta2 = broadcast(options_.beta2), rest2 = broadcast(1 - options_.beta2);
  const double bias1 = 1 - std::pow(options_.beta1, t);
  const Vec root = broadcast(1 / std::sqrt(1 - std::pow(options_.beta2, t)));
  const Vec epsilon = broadcast(options_.epsilon);
  parameters_.for_each_piece([&](const ParameterList::Piece& piece) {
    const double rate = lr * piece.group.learning_rate;
    const double decay = piece.group.weight_decay.value_or(options_.weight_decay);
    const Vec keep = broadcast(1 - rate * decay), step = broadcast(rate / bias1);
    engine::kernels::for_each(
        piece.size,
        [=](Vec g, Vec& m, Vec& v, Vec& p) {
          const Vec gradient = g * clip;
          m = beta1 * m + rest1 * gradient;
          v = beta2 * v + rest2 * gradient * gradient;
          p = p * keep - step * m / (engine::kernels::sqrt(v) * root + epsilon);
        },
        piece.g, m_.data() + piece.offset, v_.data() + piece.offset, piece.p);
  });
}

}  // namespace nn
