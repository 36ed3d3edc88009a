// nanoGPT's learning rate: linear warm-up, then half a cosine (or a straight line) down to min_lr,
// then constant.
#pragma once

#include "engine/base/names.h"
#include "engine/base/real.h"
#include "train/system/words.h"

namespace train {

enum class Decay { cosine, linear };

struct Schedule {
  double learning_rate = 1e-3, min_lr = 1e-4;
  Index warmup_iters = 100, lr_decay_iters = 5000;
  bool decay_lr = true;
  Decay lr_schedule = Decay::cosine;

  // The learning rate of the update after `step` updates.
  double learning_rate_at(Index step) const;
  // Whether the learning rate is 0 after `step` updates and stays 0, so that further updates would
  // change nothing.
  bool has_ended_at_zero(Index step) const;
};

}  // namespace train

template <>
inline constexpr auto engine::names_of<train::Decay> = engine::names("cosine", "linear");
