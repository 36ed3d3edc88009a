// Matrix multiplication, where a transformer spends four fifths of its time:
//
//     c_ij = sum_k a_ik b_kj        a (M, K), b (K, N), c (M, N)
//
// Operands are views with any strides, so a transposed operand, or one attention head inside a
// (B, T, 3C) tensor, needs no copy. Any size, 0 included. c must not overlap a or b.
//
// Bits: an element of c is summed with k ascending, in blocks, each in one accumulator that starts
// at zero. The size of a block depends on K and on the build's instruction set (max_depth in
// problem.h). Every path (packed or not, batch or single row, any number of threads, any strides)
// does this, so all give the same bits; a build for other instructions may give others.
//
// Precision: a and b are multiplied as they are, or rounded to bfloat16 on their way into panels,
// two successive k at a time (engine/kernels/bfloat16.h). Sums and c stay float32.
#pragma once

#include <algorithm>

#include "engine/base/storage.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/matrix_view.h"
#include "engine/kernels/write.h"

namespace engine::kernels {

enum class Precision { float32, bfloat16 };

// The precision of all products that do not name one; float32 at first. The program sets it before
// a run, not while other threads multiply.
Precision product_precision();
// Throws Error for bfloat16 where this CPU or build has no instruction for it (bfloat16.h).
void set_product_precision(Precision precision);
namespace detail {
extern Precision precision_of_products;  // tests set it to bfloat16 on every CPU
}

// A right operand b stored in the order in which gemm reads it. Weights that are used many times
// (sampling) are packed once; the product has the same bits as with the unpacked matrix. In
// bfloat16 it takes half the memory. Products use the precision it was packed with.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  explicit PackedMatrix(MatrixView b);

  explicit operator bool() const { return static_cast<bool>(panels_); }
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Precision precision() const { return precision_; }
  // Steps [k, k + depth), which must be one block of k, of the panel that starts at column j.
  const real* panel(Index k, Index depth, Index j) const;

 private:
  Index rows_ = 0, cols_ = 0;
  Precision precision_ = Precision::float32;
  Buffer panels_;
};

// c = a b, or c += a b with Write::add: a (M, K), b (K, N), c (M, N), views of any strides. With
// Write::overwrite a bias (N) may be given: c_ij = bias_j + sum_k a_ik b_kj. Runs on all threads;
// inside a parallel loop, on the calling thread.
void gemm(MatrixView a, MatrixView b, MutableMatrixView c, Write write, const real* bias = nullptr,
          Precision precision = product_precision());
void gemm(MatrixView a, const PackedMatrix& b, MutableMatrixView c, Write write,
          const real* bias = nullptr);

struct Product {
  MatrixView a, b;
  MutableMatrixView c;
};

// `count` products of one size. product(i) returns the views of product i; no other product may use
// its c. Threads split the list of products, or each product if there are few.
template <class ProductAt>
void gemm_batch(Index count, ProductAt&& product, Write write) {
  if (count <= 0) return;
  const auto multiply = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Product p = product(i);
      gemm(p.a, p.b, p.c, write);
    }
  };
  if (count < 4 * thread_count()) return multiply(0, count);
  const Product first = product(0);
  const Index work = std::max<Index>(first.c.rows * first.c.cols * first.a.cols, 1);
  parallel_for(count, (Index(1) << 20) / work, multiply);  // 2^20 fma: about 10 us
}

// The definition, three loops: the reference for tests, and the first step toward gemm.cpp.
inline void gemm_reference(MatrixView a, MatrixView b, MutableMatrixView c, Write write,
                           const real* bias = nullptr) {
  for (Index i = 0; i < c.rows; ++i)
    for (Index j = 0; j < c.cols; ++j) {
      real sum = write == Write::add ? c(i, j) : bias != nullptr ? bias[j] : 0;
      for (Index k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
}

}  // namespace engine::kernels
