// Norms of queries and keys (Henry et al., 2020): rms_norm of each head, D wide. All heads of
// queries share one weight w, all heads of keys another. For every row and head
//
//     y_i = w_i x_i r,   r = 1 / sqrt(mean x^2 + epsilon)
//
//     dx_i = r (g_i - x_i r^2 mean(g x)),   g_i = dy_i w_i        (rms_norm.cpp)
//     dw_i = sum over rows, and over heads with this weight, of dy_i x_i r
//
// Saved for backward: x, both weights, and r for each head of each row.

#include <algorithm>

#include "engine/attention.h"
#include "engine/base/check.h"
#include "engine/kernels/elementwise.h"
#include "engine/ops/rms_row.h"
#include "engine/ops/row_chunks.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;
using kernels::Write;

namespace {

void check_shapes(const Tensor& qkv, Heads heads, const Tensor& q_weight, const Tensor& k_weight) {
  const auto [H, K] = heads;
  const Index cols = qkv.shape().cols(), D = q_weight.size();
  const Index all = D > 0 && cols % D == 0 ? cols / D : 0;
  check(qkv.shape().rank() >= 1 && H > 0 && 0 < K && K <= all / 2 && H == all - 2 * K,
        "qk_norm: qkv ", qkv.shape(), ", ", H, " query heads, ", K, " key heads of ", D,
        " features: expected (..., (H + 2 K) D)");
  check(q_weight.shape() == Shape{D} && k_weight.shape() == Shape{D}, "qk_norm: weights ",
        q_weight.shape(), " and ", k_weight.shape(), ": expected the features of one head");
}

}  // namespace

Tensor qk_norm(const Tensor& qkv, Heads heads, const Tensor& q_weight, const Tensor& k_weight,
               double epsilon) {
  check_shapes(qkv, heads, q_weight, k_weight);
  const auto [H, K] = heads;
  const Index rows = qkv.shape().rows(), cols = qkv.shape().cols(), D = q_weight.size();
  const Index normed = H + K;
  const Tensor y = Tensor::uninitialized(qkv.shape());
  const Tensor saved = Tensor::uninitialized({rows, normed});
  kernels::parallel_rows(rows, cols, [&, keys = K, queries = H](Index row) {
    const real* in = qkv.data() + row * cols;
    real* out = y.mutable_data() + row * cols;
    for (Index h = 0; h < normed; ++h, in += D, out += D) {
      const Tensor& weight = h < queries ? q_weight : k_weight;
      saved.mutable_data()[row * normed + h] = rms_row(D, in, weight.data(), epsilon, out);
    }
    std::copy_n(in, keys * D, out);
  });

  return record(
      Op::qk_norm, y, {qkv.gradient(), q_weight.gradient(), k_weight.gradient()},
      [rows, cols, D, heads, normed, qkv, q_weight, k_weight, saved, dx = qkv.gradient(),
       dq = q_weight.gradient(), dk = k_weight.gradient()](const Tensor& dy) {
        const GradientDestination out = dx ? dx.destination() : GradientDestination{};
        sum_over_rows(rows, {dq, dk}, [&](Index row, Write write, const auto& part) {
          const real *in = qkv.data() + row * cols, *g = dy.data() + row * cols;
          real* d = dx ? out.data + row * cols : nullptr;
          for (Index h = 0; h < normed; ++h, in += D, g += D) {
            const bool query = h < heads.queries, first_of_kind = h == 0 || h == heads.queries;
            const real r = saved.data()[row * normed + h];
            const real* const weight = query ? q_weight.data() : k_weight.data();
            real* const dw = query ? part[0] : part[1];
            if (dw != nullptr)
              rms_row_weight_backward(D, in, r, g, dw, first_of_kind ? write : Write::add);
            if (!dx) continue;
            rms_row_backward(D, in, weight, r, g, d, out.write);
            d += D;
          }
          if (dx)
            kernels::map(
                heads.keys * D, d, out.write, [](Vec u) { return u; }, g);
        });
      });
}

}  // namespace engine
