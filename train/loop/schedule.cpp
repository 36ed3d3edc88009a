#include "train/loop/schedule.h"

#include <cmath>
#include <numbers>

namespace train {

double Schedule::learning_rate_at(Index step) const {
  if (!decay_lr) return learning_rate;
  const auto t = static_cast<double>(step), warm = static_cast<double>(warmup_iters),
             end = static_cast<double>(lr_decay_iters);
  if (step < warmup_iters) return learning_rate * (t + 1) / (warm + 1);
  if (step > lr_decay_iters) return min_lr;
  const double share = end > warm ? (t - warm) / (end - warm) : 1;
  if (lr_schedule == Decay::linear) return min_lr + (1 - share) * (learning_rate - min_lr);
  return min_lr + 0.5 * (1 + std::cos(std::numbers::pi * share)) * (learning_rate - min_lr);
}

bool Schedule::has_ended_at_zero(Index step) const {
  return decay_lr && min_lr == 0 && step >= warmup_iters && step >= lr_decay_iters;
}

}  // namespace train
