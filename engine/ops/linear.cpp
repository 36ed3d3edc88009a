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

namespace {

// x W^T + b for W^T (in, out), a MatrixView or a PackedMatrix.
template <class Matrix>
Tensor product(const char* op, const Tensor& x, const Matrix& transposed, Index in, Index out,
               const Tensor& bias) {
  check(x.shape().cols() == in, op, ": x ", x.shape(), " has ",
        counted(x.shape().cols(), "feature"), " but weight (", out, ", ", in, ") expects ", in);
  check(!bias || bias.shape() == Shape{out}, op, ": weight (", out, ", ", in, ") has ",
        counted(out, "output"), " but bias has shape ", bias.shape());
  const Tensor y = Tensor::uninitialized(x.shape().with(x.shape().rank() - 1, out));
  kernels::gemm(x.matrix(), transposed, y.mutable_matrix(), Write::overwrite,
                bias ? bias.data() : nullptr);
  return y;
}

}  // namespace

Tensor linear_forward(const char* op, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check(x.shape().rank() >= 1 && weight.shape().rank() == 2, op, ": x ", x.shape(), " and weight ",
        weight.shape(), ": expected (..., in) and (out, in)");
  return product(op, x, weight.matrix().transposed(), weight.shape()[1], weight.shape()[0], bias);
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

Tensor linear(const Tensor& x, const kernels::PackedMatrix& weight, const Tensor& bias) {
  check(Tape::current() == nullptr,
        "linear: a packed weight has no backward pass, but a tape is open");
  check(x.shape().rank() >= 1, "linear: x needs at least one axis, got ", x.shape());
  check(static_cast<bool>(weight), "linear: x ", x.shape(), ", but the packed weight is empty");
  return product("linear", x, weight, weight.rows(), weight.cols(), bias);
}

}  // namespace engine
