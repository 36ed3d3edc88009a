// Matrix product, by PyTorch's rules for batches and 1-d operands.

#include "engine/base/check.h"
#include "engine/broadcast.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {
namespace {

using kernels::MatrixView;
using kernels::MutableMatrixView;
using kernels::Write;

// The shape with one element for each matrix of a stack: (2, 3, m, k) -> (2, 3, 1, 1).
Shape one_matrix_each(const Shape& s) { return s.with(s.rank() - 2, 1).with(s.rank() - 1, 1); }

// A tensor of rank >= 2 as a stack of matrices: [i] is the operand of the batch's product i. Along
// a broadcast batch axis several products read the same matrix: of (2, 1, m, k) times (3, k, n),
// the six products read matrices 0 0 0 1 1 1 of the first and 0 1 2 0 1 2 of the second.
// (With each matrix shrunk to one element, the rows of RowWalk are matrices.)
class Stack {
 public:
  Stack(const Tensor& x, const Shape& result)
      : x_(x),
        rows_(x.shape().from_end(2)),
        cols_(x.shape().from_end(1)),
        walk_(one_matrix_each(x.shape()), one_matrix_each(result)) {}
  MatrixView operator[](Index i) const {
    return kernels::matrix(x_.data() + walk_.offset(i) * rows_ * cols_, rows_, cols_);
  }

 private:
  const Tensor& x_;
  Index rows_, cols_;
  detail::RowWalk walk_;
};

// (..., m, k) (..., k, n) -> (..., m, n) without recording; a transposed operand is a view. The
// batch axes are all axes of batch_of except for the last two.
Tensor product(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
               const Shape& batch_of) {
  const Index m = a.shape().from_end(transpose_a ? 1 : 2);
  const Index n = b.shape().from_end(transpose_b ? 2 : 1);
  const int rank = batch_of.rank();
  Tensor c = Tensor::uninitialized(batch_of.with(rank - 2, m).with(rank - 1, n));
  const Stack stack_a(a, c.shape()), stack_b(b, c.shape());
  const auto view_of = [](MatrixView view, bool transpose) {
    return transpose ? view.transposed() : view;
  };
  kernels::gemm_batch(
      batch_of.product(0, rank - 2),
      [&](Index i) {
        return kernels::Product{view_of(stack_a[i], transpose_a), view_of(stack_b[i], transpose_b),
                                kernels::matrix(c.mutable_data() + i * m * n, m, n)};
      },
      Write::overwrite);
  return c;
}

// c = a b
//     da = dc b^T, db = a^T dc      (accumulate sums them over broadcast batch axes)
// since c_ij = sum_k a_ik b_kj: da_ik = sum_j dc_ij b_kj, and db_kj = sum_i a_ik dc_ij.
Tensor batched(const Tensor& a, const Tensor& b) {
  const Shape batch = [&] {
    for (int i = 3; i <= Shape::max_rank; ++i) {
      const Index m = a.shape().from_end(i), n = b.shape().from_end(i);
      check(m == n || m == 1 || n == 1, "matmul: batches of shapes ", a.shape(), " and ", b.shape(),
            " do not broadcast: ", m, " against ", n);
    }
    return broadcast("matmul", one_matrix_each(a.shape()), one_matrix_each(b.shape()));
  }();
  const Tensor c = product(a, false, b, false, batch);
  return record(Op::matmul, c, {a.gradient(), b.gradient()},
                [a = saved_for(b, a), b = saved_for(a, b), batch, da = a.gradient(),
                 db = b.gradient()](const Tensor& dc) {
                  if (da) da.accumulate(product(dc, false, b, true, batch));
                  if (db) db.accumulate(product(a, true, dc, false, batch));
                });
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  check(a.shape().rank() >= 1 && b.shape().rank() >= 1, "matmul: shapes ", a.shape(), " and ",
        b.shape(), ": a scalar has no matrix product; use mul");
  // A 1-d operand is a row on the left, a column on the right.
  const Tensor left = a.shape().rank() == 1 ? a.reshape({1, -1}) : a;
  const Tensor right = b.shape().rank() == 1 ? b.reshape({-1, 1}) : b;
  const Index inner_a = left.shape().from_end(1), inner_b = right.shape().from_end(2);
  check(inner_a == inner_b, "matmul: shapes ", a.shape(), " and ", b.shape(),
        " do not multiply: ", counted(inner_a, "column"), " against ", counted(inner_b, "row"));
  // Matrices with one common right factor are multiplied as one tall matrix.
  const bool tall = right.shape().rank() == 2 && left.shape().rank() > 2;
  const Shape shape = left.shape();
  Tensor c = batched(tall ? left.reshape({shape.rows(), shape.cols()}) : left, right);
  if (tall) c = c.reshape(shape.with(shape.rank() - 1, right.shape()[1]));
  if (b.shape().rank() == 1) c = c.reshape(c.shape().without(c.shape().rank() - 1));
  if (a.shape().rank() == 1)
    c = c.reshape(c.shape().without(c.shape().rank() - (b.shape().rank() == 1 ? 1 : 2)));
  return c;
}

}  // namespace engine
