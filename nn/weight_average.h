// A running mean of the weights of a training run (Polyak and Juditsky, 1992). The weights of the
// last updates wander about in a valley of the loss; their mean lies nearer its middle, so its loss
// is often lower. After update t = 1, 2, ...
//
//     mean = x mean + (1 - x) w           x = min(decay, (1 + t) / (10 + t))
//
// The mean begins with the initial weights, which a decay of 0.999 alone would remember for
// thousands of updates; with an x that begins at 2 / 11 and grows, they are soon forgotten.
#pragma once

#include "nn/module.h"

namespace nn {

class WeightAverage {
 public:
  // decay 0: no mean is kept, and the functions below do nothing.
  WeightAverage(const FlatParameters& parameters, double decay);

  explicit operator bool() const { return static_cast<bool>(mean_); }
  // After update t.
  void update(const FlatParameters& parameters, Index t) const;
  // Exchanges the mean with the weights. A second call undoes it, to the same bits.
  void exchange(const FlatParameters& parameters) const;
  // In the layout of FlatParameters; null if none is kept.
  engine::real* values() const { return mean_.data(); }

 private:
  double decay_;
  Buffer mean_;
};

}  // namespace nn
