// linear: y = x W^T + b, x (N, in), W (out, in), b (out), y (N, out)
//     dx = dy W          (N, out) (out, in)
//     dW = dy^T x        (out, N) (N, in)
//     db = sum over rows of dy

#include "engine/ops/linear.h"

#include "engine/base/check.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/reduce.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {

using kernels::MatrixView;
using kernels::Write;

Tensor linear_forward(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const int rank = x.shape().rank();
  check(rank >= 1 && weight.shape().rank() == 2, op, ": x ", x.shape(), " and weight ",
        weight.shape(), ": expected (..., in) and (out, in)");
  const Index in = weight.shape()[1], out = weight.shape()[0];
  check(x.shape().cols() == in, op, ": x ", x.shape(), " has ",
        counted(x.shape().cols(), "feature"), " but weight ", weight.shape(), " expects ", in);
  check(!bias || bias.shape() == Shape{out}, op, ": weight ", weight.shape(), " has ",
        counted(out, "output"), " but bias has shape ", bias.shape());
  const Tensor y = Tensor::uninitialized(x.shape().with(rank - 1, out));
  kernels::gemm(x.matrix(), weight.matrix().transposed(), y.mutable_matrix(), Write::overwrite,
                {.bias = bias ? bias.data() : nullptr});
  return y;
}

void linear_backward(const Tensor& dy, const Tensor& x, const Tensor& weight, const Gradient& dx,
                     const Gradient& dw, const Gradient& db) {
  const auto add_product = [](const Gradient& to, MatrixView a, MatrixView b) {
    const GradientDestination out = to.destination();
    kernels::gemm(a, b, kernels::matrix(out.data, to.shape().rows(), to.shape().cols()), out.write);
  };
  if (dw) add_product(dw, dy.matrix().transposed(), x.matrix());
  if (dx) add_product(dx, dy.matrix(), weight.matrix());
  if (db) {
    const GradientDestination out = db.destination();
    kernels::sum_rows(dy.matrix(), out.data, out.write);
  }
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor y = linear_forward("linear", x, weight, bias);
  return record(Op::linear, y, {x.gradient(), weight.gradient(), bias.gradient()},
                [x = saved_for(weight, x), weight = saved_for(x, weight), dx = x.gradient(),
                 dw = weight.gradient(), db = bias.gradient()](const Tensor& dy) {
                  linear_backward(dy, x, weight, dx, dw, db);
                });
}

Tensor composed::linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor y = matmul(x, transpose(weight));
  return bias ? y + bias : y;
}

}  // namespace engine
