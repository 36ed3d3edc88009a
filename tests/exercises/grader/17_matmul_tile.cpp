// Grades exercise 17, the tile of a matrix product: packs, calls the tile for all of C, and compares
// with engine::matmul.
#include <algorithm>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

constexpr Index depth = 5;  // of a block of k

const std::vector<Mistake<MatmulTile>> matmul_tile_mistakes = {
    {"c is overwritten: what it held, and what other blocks of k gave, is lost",
     [](Matrix a, Matrix b, MutableMatrix c) {
       for (Index i = 0; i < c.rows; ++i)
         for (Index j = 0; j < c.cols; ++j) {
           c(i, j) = 0;
           for (Index k = 0; k < a.rows; ++k) c(i, j) += a(k, i) * b(k, j);
         }
     }},
    {"c is read into the sum, then the sum is added to c: c counts twice",
     [](Matrix a, Matrix b, MutableMatrix c) {
       for (Index i = 0; i < c.rows; ++i)
         for (Index j = 0; j < c.cols; ++j) {
           c(i, j) *= 2;
           for (Index k = 0; k < a.rows; ++k) c(i, j) += a(k, i) * b(k, j);
         }
     }},
    {"the edge is ignored: at C's last rows and columns a tile is smaller than tile_rows, "
     "tile_cols",
     [](Matrix a, Matrix b, MutableMatrix c) {
       for (Index i = 0; i < tile_rows; ++i)
         for (Index j = 0; j < tile_cols; ++j)
           for (Index k = 0; k < a.rows; ++k) c(i, j) += a(k, i) * b(k, j);
     }},
    {"tiles at the edge are left out: C's last rows and columns get nothing",
     [](Matrix a, Matrix b, MutableMatrix c) {
       if (c.rows < tile_rows || c.cols < tile_cols) return;
       for (Index i = 0; i < tile_rows; ++i)
         for (Index j = 0; j < tile_cols; ++j)
           for (Index k = 0; k < a.rows; ++k) c(i, j) += a(k, i) * b(k, j);
     }},
    {"transposed: a(k, i) is row i of the tile at step k, and k comes first in b, too",
     [](Matrix a, Matrix b, MutableMatrix c) {
       for (Index k = 0; k < a.rows; ++k)
         for (Index i = 0; i < c.rows; ++i)
           for (Index j = 0; j < c.cols; ++j) c(i, j) += a(i, k) * b(k, j);
     }},
    {"only the last step of k is there: inside the loop over k, add",
     [](Matrix a, Matrix b, MutableMatrix c) {
       for (Index i = 0; i < c.rows; ++i)
         for (Index j = 0; j < c.cols; ++j) c(i, j) += a(a.rows - 1, i) * b(a.rows - 1, j);
     }},
    {"c is as it was: nothing has been added to it", [](Matrix, Matrix, MutableMatrix) {}},
};

// C += A B, a tile and a block of k at a time.
void multiply(MatmulTile* tile, const Tensor& A, const Tensor& B, const Result& C) {
  const Matrix from_a = matrix("A", A), from_b = matrix("B", B);
  const MutableMatrix to = mutable_matrix(C);
  for (Index k0 = 0; k0 < from_a.cols; k0 += depth)
    for (Index i0 = 0; i0 < to.rows; i0 += tile_rows)
      for (Index j0 = 0; j0 < to.cols; j0 += tile_cols) {
        const Index steps = std::min(depth, from_a.cols - k0),
                    rows = std::min(tile_rows, to.rows - i0),
                    cols = std::min(tile_cols, to.cols - j0);
        const Result a{"a", Tensor::zeros({steps, tile_rows})},
            b{"b", Tensor::zeros({steps, tile_cols})}, c{"c", Tensor::zeros({rows, cols})};
        for (Index k = 0; k < steps; ++k) {
          for (Index i = 0; i < rows; ++i) mutable_matrix(a)(k, i) = from_a(i0 + i, k0 + k);
          for (Index j = 0; j < cols; ++j) mutable_matrix(b)(k, j) = from_b(k0 + k, j0 + j);
        }
        const MutableMatrix held = mutable_matrix(c);
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < cols; ++j) held(i, j) = to(i0 + i, j0 + j);
        tile(matrix("a", a.value), matrix("b", b.value), held);
        for (Index i = 0; i < rows; ++i)
          for (Index j = 0; j < cols; ++j) to(i0 + i, j0 + j) = held(i, j);
      }
}

}  // namespace

Exercise matmul_tile(MatmulTile* yours) {
  Exercise exercise{"17_matmul_tile", "expected", {}, {}};
  gradient::Maker make(8);
  const auto trial = [&](Index m, Index n, Index k, const char* remark) {
    const Tensor A = make.uniform({m, k}).detach(), B = make.uniform({k, n}).detach(),
                 C = make.uniform({m, n}).detach();
    add_trial(exercise, yours, matmul_tile_mistakes,
              engine::joined("A ", A.shape(), ", B ", B.shape(), ": ", remark),
              {{"C", C + engine::matmul(A, B)}}, [=](MatmulTile* f) {
                const Results out = {{"C", C.clone()}};
                multiply(f, A, B, out[0]);
                return out;
              });
  };
  trial(tile_rows, tile_cols, depth, "one tile, one block of k");
  trial(2 * tile_rows, 2 * tile_cols, 2 * depth + 2, "four tiles, three blocks of k");
  trial(2 * tile_rows + 1, tile_cols + 4, depth, "edges in both directions");
  trial(1, 1, 1, "one number");
  return exercise;
}

int grade_matmul_tile(MatmulTile* yours) { return report(matmul_tile(yours)); }

}  // namespace exercises
