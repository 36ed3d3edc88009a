// feed_forward: two linear layers with an activation f between them. x (N, in), W1 (hidden, in),
// W2 (out, hidden), or with swiglu, which halves the features, W1 (2 hidden, in); in a transformer
// hidden = 4 in, with swiglu 8/3 in
//
//     h = x W1^T + b1,   a = f(h),   y = a W2^T + b2
//
//     da = dy W2,   dW2 = dy^T a,   db2 = sum over rows of dy
//     dh = da f'(h),   dW1 = dh^T x,   db1 = sum over rows of dh,   dx = dh W1
//
// Saved for backward: x, h, W1, W2. `a` is not saved: the pass that computes f'(h) computes f(h)
// from the same exponential at no cost. That pass overwrites h with dh, and da with a.

#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/vector_math.h"
#include "engine/ops.h"
#include "engine/ops/linear.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::Vec;

// h becomes dh = da f'(h), and da becomes a = f(h).
void activation_backward(Activation f, const Tensor& h, const Tensor& da) {
  const auto in_place = [&](auto rule) {
    kernels::parallel_for_each(h.size(), rule, h.mutable_data(), da.mutable_data());
  };
  switch (f) {
    case Activation::gelu:
      return in_place([](Vec& u, Vec& dv) {
        const Vec a = kernels::gelu(u);
        u = dv * kernels::gelu_derivative(u);
        dv = a;
      });
    case Activation::gelu_tanh:
      return in_place([](Vec& u, Vec& dv) {
        const Vec a = kernels::gelu_tanh(u);
        u = dv * kernels::gelu_tanh_derivative(u);
        dv = a;
      });
    case Activation::relu:
      return in_place([](Vec& u, Vec& dv) {
        const Vec a = kernels::select(u <= 0, Vec{}, u);
        u = kernels::select(u <= 0, Vec{}, dv);
        dv = a;
      });
    case Activation::relu2:
      return in_place([](Vec& u, Vec& dv) {
        const Vec a = kernels::relu2(u);
        u = dv * kernels::relu2_derivative(u);
        dv = a;
      });
    case Activation::swiglu: {  // h = [g, u] becomes dh = [dg, du]
      const Index F = da.shape().cols();
      kernels::parallel_rows(h.shape().rows(), 2 * F, [&](Index row) {
        real *const g = h.mutable_data() + row * 2 * F, *const d = da.mutable_data() + row * F;
        kernels::for_each(
            F,
            [](Vec& gate, Vec& value, Vec& dv) {
              const Vec s = kernels::silu(gate), slope = kernels::silu_derivative(gate);
              gate = dv * value * slope;
              const Vec a = s * value;
              value = dv * s;
              dv = a;
            },
            g, g + F, d);
      });
    }
  }
}

}  // namespace

Tensor feed_forward(const Tensor& x, Activation f, const Tensor& w1, const Tensor& b1,
                    const Tensor& w2, const Tensor& b2) {
  const Tensor h = linear_forward("feed_forward", x, w1, b1);
  const Tensor y = linear_forward("feed_forward", activate(f, h), w2, b2);
  return record(
      Op::feed_forward, y,
      {x.gradient(), w1.gradient(), b1.gradient(), w2.gradient(), b2.gradient()},
      [x, f, h, w1, w2, dx = x.gradient(), dw1 = w1.gradient(), db1 = b1.gradient(),
       dw2 = w2.gradient(), db2 = b2.gradient()](const Tensor& dy) {
        const Shape& shape = dy.shape();
        const Tensor da = Tensor::uninitialized(shape.with(shape.rank() - 1, w2.shape()[1]));
        kernels::gemm(dy.matrix(), w2.matrix(), da.mutable_matrix(), kernels::Write::overwrite);
        activation_backward(f, h, da);
        const Tensor &a = da, &dh = h;  // what da and h hold now
        linear_backward(dy, a, w2, {}, dw2, db2);
        linear_backward(dh, x, w1, dx, dw1, db1);
      });
}

}  // namespace engine
