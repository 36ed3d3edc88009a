// x W^T + b, forward and backward, for the ops that contain it: linear and feed_forward.
#pragma once

#include "engine/tensor.h"

namespace engine {

// x W^T + b, not recorded. Throws Error, starting with the name of the op, if shapes do not fit.
Tensor linear_forward(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias);

// From dy (N, out): dx += dy W, dW += dy^T x, db += the sum of dy's rows; a null Gradient is
// skipped.
void linear_backward(const Tensor& dy, const Tensor& x, const Tensor& weight, const Gradient& dx,
                     const Gradient& dw, const Gradient& db);

}  // namespace engine
