// nanoGPT's learning rate: linear warm-up, then half a cosine, or a straight line, down to min_lr,
// then min_lr.
#pragma once

#include <string>

#include "engine/base/real.h"

namespace train {

struct Schedule {
  double learning_rate = 1e-3, min_lr = 1e-4;
  engine::Index warmup_iters = 100, lr_decay_iters = 5000;
  bool decay_lr = true;
  std::string lr_schedule = "cosine";  // or "linear"

  // The rate of the update that follows `step` updates.
  double learning_rate_at(engine::Index step) const;
  // Whether the rate is 0 after `step` updates and stays so: further updates would change nothing.
  bool has_ended_at_zero(engine::Index step) const;
};

}  // namespace train
