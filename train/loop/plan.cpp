#include "train/loop/plan.h"

#include <string_view>

#include "engine/base/check.h"

namespace train {

void Plan::validate() const {
  const auto check_range = [](std::string_view field, auto value, auto least, auto most) {
    engine::check(least <= value && value <= most, field, ": ", value, " is not in ", least, "..",
                  most);
  };
  constexpr Index many = 1'000'000'000;
  check_range("batch_size", batch_size, Index(1), Index(1) << 20);
  check_range("gradient_accumulation_steps", gradient_accumulation_steps, Index(1), many);
  check_range("max_iters", max_iters, Index(0), many);
  check_range("eval_interval", eval_interval, Index(1), many);
  check_range("eval_iters", eval_iters, Index(0), many);
  check_range("save_interval", save_interval, Index(0), many);
  check_range("warmup_iters", schedule.warmup_iters, Index(0), many);
  check_range("lr_decay_iters", schedule.lr_decay_iters, Index(0), many);
  check_range("val_fraction", val_fraction, 0.0, 1.0);
  check_range("learning_rate", schedule.learning_rate, 0.0, 1e3);
  check_range("min_lr", schedule.min_lr, 0.0, 1e3);
  check_range("weight_decay", optimiser.weight_decay, 0.0, 1e3);
  check_range("beta1", optimiser.beta1, 0.0, 1.0);
  check_range("beta2", optimiser.beta2, 0.0, 1.0);
  check_range("grad_clip", optimiser.grad_clip, 0.0, 1e9);
}

}  // namespace train
