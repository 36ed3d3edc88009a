// swiglu (Shazeer, GLU Variants Improve Transformer, 2020): the first half of the features is a
// gate for the second. For x = [g, u]:
//
//     y = silu(g) u,   silu(g) = g s,   s = 1 / (1 + e^-g)
//
//     dg = dy u silu'(g),   silu'(g) = s (1 + g (1 - s)),   du = dy silu(g)
//
// Saved for backward: x.

#include "engine/base/check.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/vector_math.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;
using kernels::Write;

Tensor swiglu(const Tensor& x) {
  const Shape& shape = x.shape();
  check(shape.rank() >= 1 && shape.cols() % 2 == 0, "swiglu: x ", shape,
        ": expected an even number of features, as many gates as values");
  const Index rows = shape.rows(), F = shape.cols() / 2;
  const Tensor y = Tensor::uninitialized(shape.with(shape.rank() - 1, F));
  kernels::parallel_rows(rows, 2 * F, [&](Index row) {
    const real *const g = x.data() + row * 2 * F, *const u = g + F;
    kernels::map(
        F, y.mutable_data() + row * F, Write::overwrite,
        [](Vec gate, Vec value) { return kernels::silu(gate) * value; }, g, u);
  });
  return record(Op::swiglu, y, {x.gradient()}, [x, rows, F, dx = x.gradient()](const Tensor& dy) {
    const GradientDestination out = dx.destination();
    kernels::parallel_rows(rows, 2 * F, [&](Index row) {
      const real *const g = x.data() + row * 2 * F, *const u = g + F,
                        *const d = dy.data() + row * F;
      real* const dg = out.data + row * 2 * F;
      kernels::map(
          F, dg, out.write,
          [](Vec gate, Vec value, Vec dv) { return dv * value * kernels::silu_derivative(gate); },
          g, u, d);
      kernels::map(
          F, dg + F, out.write, [](Vec gate, Vec dv) { return dv * kernels::silu(gate); }, g, d);
    });
  });
}

}  // namespace engine
