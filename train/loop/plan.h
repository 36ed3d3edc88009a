// Everything that decides the numbers of a run, fixed at the first start, and how far it goes. Both
// are stored in every checkpoint.
#pragma once

#include <cstdint>

#include "model/gpt/config.h"
#include "nn/adamw.h"
#include "train/loop/schedule.h"

namespace train {

// A resumed run may change this, so a model file does not tell: the best model of a run is the same
// file whether the run was to stop there or to go on.
struct Pace {
  Index max_iters = 2000, eval_interval = 250, save_interval = 0;

  template <class F>
  void reflect(F&& field) {
    field("max_iters", max_iters);
    field("eval_interval", eval_interval);
    field("save_interval", save_interval);
  }
};

struct Plan : Pace {
  model::Config model;
  double val_fraction = 0.1;
  Index batch_size = 12, gradient_accumulation_steps = 1;
  Index eval_iters = 0;
  Schedule schedule;
  AdamWOptions optimiser;
  std::uint64_t seed = 1337;

  // Throws engine::Error naming the field that is out of range; the model's are checked apart.
  void validate() const;

  // Calls field(name, member) for all but the model's and the pace, under their flags' names.
  template <class F>
  void reflect(F&& field) {
    field("val_fraction", val_fraction);
    field("batch_size", batch_size);
    field("gradient_accumulation_steps", gradient_accumulation_steps);
    field("eval_iters", eval_iters);
    field("learning_rate", schedule.learning_rate);
    field("min_lr", schedule.min_lr);
    field("warmup_iters", schedule.warmup_iters);
    field("lr_decay_iters", schedule.lr_decay_iters);
    field("decay_lr", schedule.decay_lr);
    field("weight_decay", optimiser.weight_decay);
    field("beta1", optimiser.beta1);
    field("beta2", optimiser.beta2);
    field("grad_clip", optimiser.grad_clip);
    field("seed", seed);
  }
};

}  // namespace train
