// Cross-entropy of logits x (..., V) against a target t per row, the mean over rows with t >= 0:
//
//     loss = mean over rows of  ln sum_j exp(x_j) - x_t
//     dx_j = dloss / count * (softmax(x)_j - [j = t]),   0 in rows with t = -1
//
// Saved for backward: the logits and targets, and for each row max x and 1 / sum exp(x - max x).
// One number, L = max + log sum, is not exact enough: rounding changes it by up to |L| 2^-24, which
// exp would turn into a relative error of every softmax(x)_j.
// The gradient overwrites the logits if no other handle refers to them, so that at V = 50257 one
// tensor of that size exists, not two.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/softmax.h"
#include "engine/ops.h"
#include "engine/tape.h"

namespace engine {

using kernels::splat;
using kernels::Vec;
using kernels::Write;

namespace {

// How many rows have a target. Throws Error if targets do not fit the logits.
Index count_targets(const Tensor& logits, std::span<const Id> targets) {
  const Index rows = logits.shape().rows(), cols = logits.shape().cols();
  check(logits.shape().rank() >= 1, "cross_entropy: logits need at least one axis, got ",
        logits.shape());
  check(std::ssize(targets) == rows, "cross_entropy: logits ", logits.shape(), " have ",
        counted(rows, "row"), " for ", counted(std::ssize(targets), "target"));
  Index count = 0;
  for (Index r = 0; r < rows; ++r) {
    const Id target = at(targets, r);
    check(-1 <= target && target < cols, "cross_entropy: target ", target, " in row ", r,
          ", logits ", logits.shape(), " have ", counted(cols, "class", "classes"));
    if (target >= 0) ++count;
  }
  return count;
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, std::span<const Id> targets) {
  const Index rows = logits.shape().rows(), cols = logits.shape().cols();
  const Index count = count_targets(logits, targets);
  const Tensor saved = Tensor::uninitialized({rows, 2});
  Scratch<double> losses(rows);
  kernels::parallel_rows(rows, cols, [&](Index r) {
    const Id target = at(targets, r);
    losses[r] = 0;
    if (target < 0) return;
    const real* const x = logits.data() + r * cols;
    const real max = kernels::max_of(cols, x);
    const double sum = kernels::sum_exp(cols, x, max);
    saved.mutable_data()[2 * r] = max;
    saved.mutable_data()[2 * r + 1] = static_cast<real>(1 / sum);
    losses[r] = std::log(sum) - static_cast<double>(x[target] - max);
  });
  double total = 0;
  for (const double loss : losses) total += loss;
  const Tensor loss = total / static_cast<double>(count);

  std::vector<Id, PoolAllocator<Id>> kept(targets.begin(), targets.end());
  return record(
      Op::cross_entropy, loss, {logits.gradient()},
      [rows, cols, count, kept = std::move(kept), saved, x = logits.detach(),
       dx = logits.gradient()](const Tensor& dy) {
        const real scale = dy.item() / static_cast<real>(count);
        // Mostly x is the last handle on the logits: their memory becomes dx. (It is detached:
        // what is written through it is not a change of the logits, which dx would refuse.)
        const Tensor g = x.buffer().unshared() ? x : Tensor::uninitialized(x.shape());
        kernels::parallel_rows(rows, cols, [&](Index r) {
          const Id target = at(kept, r);
          real* const out = g.mutable_data() + r * cols;
          if (target < 0) {
            std::fill_n(out, cols, real(0));
            return;
          }
          kernels::map(
              cols, out, Write::overwrite,
              [max = splat(saved.data()[2 * r]), factor = splat(saved.data()[2 * r + 1] * scale)](
                  Vec v) { return kernels::exp(v - max) * factor; },
              x.data() + r * cols);
          out[target] -= scale;
        });
        dx.accumulate(g);
      });
}

}  // namespace engine
