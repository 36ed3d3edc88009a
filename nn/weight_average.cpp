#include "nn/weight_average.h"

#include <algorithm>

#include "engine/kernels/elementwise.h"

namespace nn {

using engine::real;
using engine::kernels::parallel_update;
using engine::kernels::Vec;

WeightAverage::WeightAverage(const FlatParameters& parameters, double decay) : decay_(decay) {
  if (decay == 0) return;
  mean_ = Buffer(parameters.size());
  std::copy_n(parameters.values(), parameters.size(), mean_.data());
}

void WeightAverage::update(const FlatParameters& parameters, Index t) const {
  if (!mean_) return;
  const double x = std::min(decay_, static_cast<double>(1 + t) / static_cast<double>(10 + t));
  const Vec keep = engine::kernels::broadcast(x), rest = engine::kernels::broadcast(1 - x);
  parallel_update(
      parameters.size(), [=](Vec w, Vec& mean) { mean = keep * mean + rest * w; },
      static_cast<const real*>(parameters.values()), mean_.data());
}

void WeightAverage::exchange(const FlatParameters& parameters) const {
  if (!mean_) return;
  parallel_update(
      parameters.size(),
      [](Vec& w, Vec& mean) {
        const Vec was = w;
        w = mean;
        mean = was;
      },
      parameters.values(), mean_.data());
}

}  // namespace nn
