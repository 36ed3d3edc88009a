// Dropout with the masks that PyTorch draws, to reproduce the numbers that tutorials print: an element
// is 0 with probability p, else x / (1 - p), decided by two words of the generator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/ops.h"
#include "engine/random/generator.h"

// PyTorch rounds both 1 - p and its reciprocal to float.
inline void draw_torch_mask(std::span<engine::real> mask, double p, engine::Generator& generator) {
  if (p == 0 || p == 1) {
    std::ranges::fill(mask, static_cast<engine::real>(1 - p));
    return;
  }
  constexpr std::uint64_t low_53 = (std::uint64_t(1) << 53) - 1;
  const engine::real scale = 1 / static_cast<float>(1 - p);
  for (engine::real& value : mask)
    value = static_cast<double>(generator.random64() & low_53) * 0x1p-53 < 1 - p ? scale : 0;
}

struct TorchDropout {
  double p = 0;
  engine::Tensor operator()(const engine::Tensor& x, engine::Generator* generator) const {
    if (generator == nullptr || p == 0) return x;
    const engine::Tensor mask = engine::Tensor::zeros(x.shape());
    draw_torch_mask(mask.mutable_values(), p, *generator);
    return x * mask;
  }
};
