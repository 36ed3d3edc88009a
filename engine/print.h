// Tensors as text, the way PyTorch prints them, so that what a tutorial shows and what gradus shows
// can be compared by eye:
//
//     tensor([[ 0.3374, -0.1778, -0.3035],
//             [-0.5880,  0.3486,  0.6603]])
//
// Writing a tensor to a stream, out << x, does this with the default options. Whole numbers are
// written as "3."; scientific notation is for tensors whose elements differ by
// more than a factor of 1000, exceed 1e8 or, not all being whole, fall below 1e-4.
#pragma once

#include <optional>
#include <string>

#include "engine/tensor.h"

namespace engine {

struct PrintOptions {
  int precision = 4;       // digits after the point
  Index threshold = 1000;  // tensors with more elements are shown in part:
  Index edge_items = 3;    // as many at both ends of each axis
  Index line_width = 80;
  std::optional<bool> scientific = {};  // decided by the elements if not given
};

std::string format(const Tensor& x, const PrintOptions& options = {});

}  // namespace engine
