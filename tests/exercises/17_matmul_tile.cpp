// Exercise 17: the tile at the heart of a matrix product.
//
// A fast product C += A B goes over C in tiles so small that a tile stays in registers while k
// runs: each number read from A serves a whole row of the tile, each from B a whole column. For
// every tile, and for every block of k, the grader calls your function with
//
//     a (K, tile_rows): a(k, i) is A(row i of the tile, k), 0 where the tile has no row i
//     b (K, tile_cols): b(k, j) is B(k, column j of the tile), 0 where it has no column j
//     c (rows, cols):   the tile in C; rows <= tile_rows, cols <= tile_cols, less at C's edges
//
//     c(i, j) += sum_k a(k, i) b(k, j)
//
// A and B are copied ("packed") such that step k reads neighbors in memory, and padded with zeros
// such that the loop over k always has the full size: only the last step, from registers to c, has
// to know about edges. K is a block of the whole depth: other calls add the rest to the same c.
//
// Write: real sum[tile_rows][tile_cols] = {}; k outermost; then one pass that adds to c.
//
// Read before: tests/tour/6_gemm.cpp, `tile` in tests/bench/gemm_ladder.h.
#include <algorithm>

#include "tests/exercises/exercise.h"

using namespace exercises;

void matmul_tile(Matrix a, Matrix b, MutableMatrix c) {
  // --- your code instead of the next line: c(i, j) += ..., k < a.rows ---
  not_done(a, b, c);
}

int main() { return grade_matmul_tile(matmul_tile); }
