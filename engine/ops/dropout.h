// Which elements dropout keeps. Under the rule `counter` element i of a tensor is kept iff a hash
// of (key, i) says so: the mask is regenerated in backward instead of stored, costs a few integer
// instructions, and depends on nothing but the key drawn for it. The rule `pytorch` draws PyTorch's
// own masks, for reproducing what tutorials print.
#pragma once

#include "engine/kernels/write.h"
#include "engine/random/generator.h"

namespace engine {

enum class DropoutRule { counter, pytorch };

// The mask of the rule `counter`.
class DropoutMask {
 public:
  DropoutMask() = default;  // keeps everything
  // Draws a key (two words of the generator); with p = 0 draws nothing and keeps everything.
  static DropoutMask draw(double p, Generator* generator);

  // y_i (+)= x_i M_i for n elements, the first of which is element `first` of the tensor, where
  // M is 0 or 1 / (1 - p).
  void apply(Index n, std::uint64_t first, const real* x, real* y, kernels::Write write) const;
  void apply(Index n, std::uint64_t first, real* x) const {  // in place
    if (p_ > 0) apply(n, first, x, x, kernels::Write::overwrite);
  }

 private:
  double p_ = 0;
  std::uint64_t key_ = 0;
};

}  // namespace engine
