#include "nn/adamw.h"

#include <cmath>

#include "engine/kernels/elementwise.h"

namespace nn {

using engine::kernels::splat;
using engine::kernels::Vec;

AdamW::AdamW(const std::vector<ParameterGroup>& groups, const AdamWOptions& options)
    : Optimizer("AdamW", groups, options.weight_decay, options.grad_clip),
      options_(options),
      m_(zeros()),
      v_(zeros()) {}

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
  const Vec clip = splat(scale);
  const Vec beta1 = splat(options_.beta1), rest1 = splat(1 - options_.beta1);
  const Vec beta2 = splat(options_.beta2), rest2 = splat(1 - options_.beta2);
  const double bias1 = 1 - std::pow(options_.beta1, t);
  const Vec root = splat(1 / std::sqrt(1 - std::pow(options_.beta2, t)));
  const Vec epsilon = splat(options_.epsilon);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i];
    const engine::Gradient gradient = parameter.gradient();
    if (!gradient.written()) continue;
    const double rate = lr * treatments_[i].learning_rate;
    const Vec keep = splat(1 - rate * treatments_[i].weight_decay);
    const Vec step = splat(rate / bias1);
    engine::kernels::parallel_for_each(
        parameter.size(),
        [=](Vec g, Vec& m, Vec& v, Vec& p) {
          const Vec clipped = g * clip;
          m = beta1 * m + rest1 * clipped;
          v = beta2 * v + rest2 * clipped * clipped;
          p = p * keep - step * m / (engine::kernels::sqrt(v) * root + epsilon);
        },
        gradient.value().data(), m_[i].data(), v_[i].data(), parameter.mutable_data());
    gradient.clear();
  }
}

}  // namespace nn
