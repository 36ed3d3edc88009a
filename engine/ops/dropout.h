// Which elements dropout keeps. A hash of (key, i) decides about element i, so backward recomputes
// the mask with a few integer instructions instead of storing it. The mask depends only on the key,
// which is drawn once per call. (PyTorch draws two words for each element, so its masks differ.)
#pragma once

#include <cstdint>

#include "engine/kernels/write.h"
#include "engine/random/generator.h"

namespace engine {

class DropoutMask {
 public:
  DropoutMask() = default;  // keeps everything
  // Draws a key (two words of the generator). With p = 0 draws nothing and keeps everything; then
  // the generator may be null.
  static DropoutMask draw(double p, Generator* generator);

  // y_i (+)= x_i M_i, M_i = 0 or 1 / (1 - p), for elements [first, first + n) of a tensor; x and y
  // point to element `first`.
  void apply(Index n, std::uint64_t first, const real* x, real* y, kernels::Write write) const;
  void apply(Index n, std::uint64_t first, real* x) const {  // in place
    if (p_ > 0) apply(n, first, x, x, kernels::Write::overwrite);
  }

 private:
  double p_ = 0;
  std::uint64_t key_ = 0;
};

}  // namespace engine
