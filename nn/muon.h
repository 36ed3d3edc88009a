// Muon (Jordan et al., 2024): momentum, orthogonalized. With the gradient G of a matrix, clipped to
// a global norm,
//
//     M = momentum M + (1 - momentum) G
//     N = momentum M + (1 - momentum) G                              (Nesterov)
//     W = (1 - lr decay) W - lr 0.2 sqrt(max(rows, cols)) orthogonal(N)
//
// where N is what M would become if the next gradient were G again, so that the update follows a
// change of the gradient sooner than M does (Nesterov, 1983; Jordan's choice), and
// orthogonal(U S V^T) is nearly U V^T: all singular values become about 1. So the weights move as
// far in a direction that few examples need as in one that all need. Newton and
// Schulz's iteration computes this by matrix products alone; with n the shorter side and X (n, m),
//
//     X = N / (|N| + 1e-7)              |N| = sqrt(sum N_ij^2); 1e-7 keeps a zero gradient's X at 0
//     X = X / sqrt(|X X^T| + 1e-7)      so that singular values are at most 1, and none is smaller
//     3 times: A = X X^T,  X = (a I + b A + c A A) X
//
// A step maps every singular value s to a s + b s^3 + c s^5. The first step's (a, b, c) bring all
// of [0.01, 1] as near to 1 as an odd polynomial of that degree can; those of every further step do
// so for the interval that the step before left: Polar Express (Amsel et al., 2025, 2505.16932).
// After three steps singular values are between 0.730 and 1.270, which is near enough for training
// (tests/recipes/README.md compares three steps with four).
//
//     8.0934  -23.6204  17.4462     [0.01, 1]       -> [0.081, 1.919]
//     3.6366   -2.7219   0.5365     [0.081, 1.919]  -> [0.293, 1.707]
//     2.6613   -1.9772   0.4526     [0.293, 1.707]  -> [0.730, 1.270]
//
// (tests/reference/quintics.py finds these numbers.)
//
// X is needed only at the start and at the end. With P = a I + b A + c A A, a step turns A into
// P A P, and Q, the product of all P so far, into P Q; the result is Q X. All these (n, n) matrices
// are polynomials of the first A, so they commute and every product is symmetric: only half of it
// is computed. Cost: about 9 n^3 + 3 n^2 m floating-point operations; three steps on X would take
// 3 n^3 + 9 n^2 m: as many for m = n, nearly twice as many for m = 4 n.
//
// 0.2 sqrt(max(rows, cols)) gives an orthogonal update a root mean square of 0.2, as AdamW's
// updates have (Liu et al., 2025, 2502.16982): one learning rate and one weight decay serve both.
//
// Muon is for the matrices between an input and an output; embeddings, head, norms and biases are
// better off with AdamW.
#pragma once

#include <span>
#include <vector>

#include "engine/base/index.h"
#include "nn/optimizer.h"

namespace nn {

struct MuonOptions {
  double momentum = 0.95;
  double weight_decay = 0.1;
  double grad_clip = 1;  // largest global norm of the gradient; 0: no clipping
};

class Muon final : public Optimizer {
 public:
  // If a parameter consists of several matrices (ParameterGroup::parts), each is treated as a
  // separate parameter. The momentum starts at 0. Throws Error if a parameter does not have two
  // axes, or does not consist of the matrices that its group lists.
  explicit Muon(const std::vector<ParameterGroup>& groups, const MuonOptions& options = {});
  explicit Muon(std::vector<Tensor> parameters, const MuonOptions& options = {})
      : Muon({ParameterGroup{std::move(parameters)}}, options) {}

  void apply(double lr, double scale) override;

  // The size, in numbers, of an update's scratch memory, for parameters of these shapes that hold
  // `matrices` matrices in all.
  static Index scratch_size(std::span<const engine::Shape> shapes, Index matrices);

  // Floating-point operations of the products in an update of one matrix.
  static double flops(const engine::Shape& matrix);

  // For checkpoints: M of parameter i, in the order of the groups.
  real* first_moment(Index i) const { return engine::at(m_, i).data(); }

 private:
  // Rows of a parameter.
  struct Matrix {
    std::size_t parameter;
    Index offset, rows;  // the offset in numbers
  };
  void add_matrices(std::size_t parameter, const std::vector<Index>& parts);

  MuonOptions options_;
  std::vector<Buffer> m_;  // of each parameter
  std::vector<Matrix> matrices_;
  Index largest_ = 0, largest_square_ = 0;  // elements of a parameter, and of n x n, at most
};

}  // namespace nn
