// Rotary position embedding (Su et al., RoFormer, 2021). In a head of D features at position t, the
// pair (x_e, x_e+D/2), for e < D/2, is rotated by the angle a = t base^(-2e/D):
//
//     y_e      = x_e cos a - x_e+D/2 sin a
//     y_e+D/2  = x_e sin a + x_e+D/2 cos a
//
// A rotation's transpose rotates back, so dx is dy rotated by -a; nothing but the angles is saved.
// The score of a query at m and a key at n, <R_m q, R_n k> = <q, R_n-m k>, depends only on n - m.
// (Pairs are half a head apart, as in Llama's weights in transformers; the paper pairs neighbors.
// The two differ by a permutation of the features.)

#include <cmath>

#include "engine/attention.h"
#include "engine/base/check.h"
#include "engine/kernels/elementwise.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::Vec;
using kernels::Write;

struct Rotation {
  const real *from, *angles;  // of the first position
  Index rows, T, cols, D, rotated;

  // to = (or +=) x, its first `rotated` heads rotated by direction times the angle, the rest as is.
  void operator()(real direction, real* to, Write write) const {
    kernels::parallel_rows(rows, cols, [&, this](Index row) {
      const real* const x = from + row * cols;
      real* const y = to + row * cols;
      const real *const cosines = angles + row % T * D, *const sines = cosines + D / 2;
      const Vec sign = kernels::splat(direction);
      for (Index head = 0; head < rotated * D; head += D) {
        const real *const a = x + head, *const b = a + D / 2;
        kernels::map(
            D / 2, y + head, write,
            [sign](Vec u, Vec v, Vec c, Vec s) { return u * c - v * (s * sign); }, a, b, cosines,
            sines);
        kernels::map(
            D / 2, y + head + D / 2, write,
            [sign](Vec u, Vec v, Vec c, Vec s) { return v * c + u * (s * sign); }, a, b, cosines,
            sines);
      }
      const Index rest = rotated * D;
      kernels::map(
          cols - rest, y + rest, write, [](Vec u) { return u; }, x + rest);
    });
  }
};

Rotation rotation_of(const Tensor& x, const Tensor& angles, Index rotated, Index first) {
  const Shape& shape = x.shape();
  check(shape.rank() >= 2 && angles.shape().rank() == 2, "rope: x ", shape, " and angles ",
        angles.shape(), ": expected (..., T, heads D) and (positions, D)");
  const Index T = shape.from_end(2), D = angles.shape()[1];
  check(D > 0 && shape.cols() % D == 0 && 0 <= rotated && rotated <= shape.cols() / D, "rope: x ",
        shape, ": expected ", rotated, " heads or more of ", D, " features in its last axis");
  check(0 <= first && first <= angles.shape()[0] && T <= angles.shape()[0] - first, "rope: ", T,
        " positions from ", first, " on, but only ", counted(angles.shape()[0], "row"),
        " of angles");
  return {x.data(), angles.data() + first * D, shape.rows(), T, shape.cols(), D, rotated};
}

}  // namespace

Tensor rope(const Tensor& x, const Tensor& angles, Index rotated, Index first) {
  const Rotation rotate = rotation_of(x, angles, rotated, first);
  const Tensor y = Tensor::uninitialized(x.shape());
  rotate(1, y.mutable_data(), Write::overwrite);
  return record(Op::rope, y, {x.gradient()},
                [angles, rotated, first, dx = x.gradient()](const Tensor& dy) {
                  const GradientDestination out = dx.destination();
                  rotation_of(dy, angles, rotated, first)(-1, out.data, out.write);
                });
}

Tensor rope_angles(Index positions, Index D, double base) {
  check(D > 0 && D % 2 == 0, "rope: heads of ", D, " features, expected an even number");
  const Tensor angles = Tensor::uninitialized({positions, D});
  for (Index t = 0; t < positions; ++t)
    for (Index i = 0; i < D / 2; ++i) {
      const double angle = static_cast<double>(t) *
                           std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(D));
      real* const row = angles.mutable_data() + t * D;
      row[i] = static_cast<real>(std::cos(angle));
      row[i + D / 2] = static_cast<real>(std::sin(angle));
    }
  return angles;
}

}  // namespace engine
