// feed_forward: two linear layers with an activation f between them. x (N, in), W1 (hidden, in),
// W2 (out, hidden); in a transformer hidden = 4 in
//
//     h = x W1^T + b1,   a = f(h),   y = a W2^T + b2
//
//     da = dy W2,   dW2 = dy^T a,   db2 = sum over rows of dy
//     dh = da f'(h),   dW1 = dh^T x,   db1 = sum over rows of dh,   dx = dh W1
//
// Saved for backward: x, h, W1, W2. Not a, which is as large as h: the pass that computes f'(h)
// computes f(h) from the same exponential at no cost. That pass overwrites h by a, and da by dh.

#include <utility>

#include "engine/kernels/gemm/gemm.h"
#include "engine/kernels/vector_math.h"
#include "engine/ops.h"
#include "engine/ops/linear.h"
#include "engine/ops/map.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::Vec;

// h, da -> f(h), da f'(h), in place.
template <class Rule>
void backward_in_place(const Tensor& h, const Tensor& d, Rule rule) {
  parallel_for(h.size(), kernels::elements_per_range, [&](Index begin, Index end) {
    kernels::map_pair(end - begin, h.mutable_data() + begin, d.mutable_data() + begin, rule);
  });
}

void activation_backward(Activation f, const Tensor& h, const Tensor& d) {
  switch (f) {
    case Activation::gelu:
      return backward_in_place(h, d, [](Vec u, Vec dv) {
        return std::pair(kernels::gelu(u), dv * kernels::gelu_derivative(u));
      });
    case Activation::gelu_tanh:
      return backward_in_place(h, d, [](Vec u, Vec dv) {
        return std::pair(kernels::gelu_tanh(u), dv * kernels::gelu_tanh_derivative(u));
      });
    case Activation::relu:
      return backward_in_place(h, d, [](Vec u, Vec dv) {
        const auto off = u <= 0;
        return std::pair(kernels::select(off, Vec{}, u), kernels::select(off, Vec{}, dv));
      });
  }
}

}  // namespace

Tensor feed_forward(const Tensor& x, Activation f, const Tensor& w1, const Tensor& b1,
                    const Tensor& w2, const Tensor& b2) {
  const Tensor h = linear_forward("feed_forward", x, w1, b1);
  const Tensor y = linear_forward("feed_forward", activate(f, h), w2, b2);
  return record(Op::feed_forward, y,
                {x.gradient(), w1.gradient(), b1.gradient(), w2.gradient(), b2.gradient()},
                [x, f, h, w1, w2, dx = x.gradient(), dw1 = w1.gradient(), db1 = b1.gradient(),
                 dw2 = w2.gradient(), db2 = b2.gradient()](const Tensor& dy) {
                  const Tensor d = Tensor::uninitialized(h.shape());
                  kernels::gemm(dy.matrix(), w2.matrix(), d.mutable_matrix(),
                                kernels::Write::overwrite);
                  activation_backward(f, h, d);  // now h holds a, and d holds dh
                  linear_backward(dy, h, w2, {}, dw2, db2);
                  linear_backward(d, x, w1, dx, dw1, db1);
                });
}

Tensor composed::feed_forward(const Tensor& x, Activation f, const Tensor& w1, const Tensor& b1,
                              const Tensor& w2, const Tensor& b2) {
  return engine::linear(activate(f, engine::linear(x, w1, b1)), w2, b2);
}

}  // namespace engine
