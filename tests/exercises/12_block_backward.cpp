// Exercise 12: backward of attention, a block of keys at a time.
//
// In forward, S = q k^T / sqrt(D) are the scores, P = softmax(S) along rows, and O = P v, in rows of
// E numbers. Given dO = d loss / d O, find dS = d loss / d S. The step before is known: dP = dO v^T.
//
// But you never have a whole row of P. The keys come in blocks, and the grader calls your function
// for one block after another. Of a block of K keys, for all T queries, you have
//
//     p (T, K)       the block's columns of P; softmax was taken over all keys, not over these K
//     v (K, E)       its rows of v
//     o, d_o (T, E)  O (each row is a sum over all keys) and dO
//     ds (T, K)      to be written: the block's columns of dS
//
// Derive: with the derivative of softmax (exercise 5), dS(i, j) = P(i, j) (dP(i, j) - t_i), where
// t_i = sum_l P(i, l) dP(i, l) is a sum over all keys. Write dP(i, l) as a dot product, sum over l
// first, and find t_i from what you have.
//
// Read before: chapter 9 of the book. `backward_head` in engine/ops/attention.cpp has the result;
// derive it first.
#include "tests/exercises/exercise.h"

using namespace exercises;

void block_backward(Matrix p, Matrix v, Matrix o, Matrix d_o, MutableMatrix ds) {
  // --- your code instead of the next line: ds(i, j) = ..., i < p.rows, j < p.cols ---
  not_done(p, v, o, d_o, ds);
}

int main() { return grade_block_backward(block_backward); }
