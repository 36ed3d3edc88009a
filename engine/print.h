// Tensors as text in PyTorch's format:
//
//     tensor([[ 0.3374, -0.1778, -0.3035],
//             [-0.5880,  0.3486,  0.6603]])
//
// out << x uses the default options. If all elements are whole numbers they are printed as "3.".
// Scientific notation is used if absolute values differ by more than a factor of 1000, exceed 1e8,
// or fall below 1e-4 and not all are whole.
#pragma once

#include <optional>
#include <string>

#include "engine/tensor.h"

namespace engine {

struct PrintOptions {      // numbers from 0 to 10,000; threshold: any
  int precision = 4;       // digits after the point
  Index threshold = 1000;  // of tensors with more elements, only the ends of each axis are shown,
  Index edge_items = 3;    // this many items at each end
  Index line_width = 80;
  std::optional<bool> scientific = {};  // chosen from the elements if not given
};

std::string format(const Tensor& x, const PrintOptions& options = {});

}  // namespace engine
