// masked_fill: y = value where mask is not 0, x elsewhere
//     dx = 0 where mask is not 0, dy elsewhere

#include "engine/base/check.h"
#include "engine/broadcast.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {

using kernels::Vec;

Tensor masked_fill(const Tensor& x, const Tensor& mask, real value) {
  const auto fill = [](const Tensor& t, const Tensor& where, real with) {
    return map_broadcast(
        "masked_fill",
        [v = kernels::splat(with)](Vec u, Vec m) { return kernels::select(m != 0, v, u); }, t,
        where);
  };
  const Tensor y = fill(x, mask, value);
  check(y.shape() == x.shape(), "masked_fill: mask ", mask.shape(), " does not broadcast to x ",
        x.shape());
  return record(
      Op::masked_fill, y, {x.gradient()},
      [fill, mask, dx = x.gradient()](const Tensor& dy) { dx.accumulate(fill(dy, mask, 0)); });
}

Tensor tril(const Tensor& x, Index diagonal) {
  check(x.shape().rank() >= 2, "tril: x needs at least two axes, got ", x.shape());
  const Index rows = x.shape()[x.shape().rank() - 2], cols = x.shape()[x.shape().rank() - 1];
  const Tensor above = Tensor::zeros({rows, cols});
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      if (j - i > diagonal) above.mutable_data()[i * cols + j] = 1;
  return masked_fill(x, above, 0);
}

Tensor causal_mask(Index rows, Index cols) {
  Tensor mask = Tensor::zeros({rows, cols});
  for (Index i = 0; i < rows; ++i)
    for (Index j = i + 1; j < cols; ++j) mask.mutable_data()[i * cols + j] = 1;
  return mask;
}

}  // namespace engine
