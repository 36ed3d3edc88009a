// Grades exercise 7, backward of cross_entropy, by differences of engine::cross_entropy.
#include <cmath>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// What is subtracted from a row's logits before exp.
enum class Shift { row_maximum, maximum_or_0, maximum_so_far, batch_maximum, first_logit, nothing };

// The right backward, and what may go wrong in it.
struct CrossEntropySlips {
  bool mean = true;            // over rows, not their sum
  bool count_ignored = false;  // among the rows of the mean
  bool differentiate_ignored = false;
  real at_target = 1;  // subtracted at the target
  real sign = 1;
  bool seeded = true;  // times dloss
  Shift shift = Shift::row_maximum;
};

real shift_of(Matrix logits, Index row, Shift shift) {
  const auto maximum = [&](Index first, Index last) {
    real max = logits(first, 0);
    for (Index i = first; i <= last; ++i)
      for (Index j = 0; j < logits.cols; ++j) max = std::fmax(max, logits(i, j));
    return max;
  };
  switch (shift) {
    case Shift::row_maximum: break;
    case Shift::maximum_or_0: return std::fmax(maximum(row, row), real(0));
    case Shift::maximum_so_far: return maximum(0, row);
    case Shift::batch_maximum: return maximum(0, logits.rows - 1);
    case Shift::first_logit: return logits(0, 0);
    case Shift::nothing: return 0;
  }
  return maximum(row, row);
}

void backward(Matrix logits, Targets targets, real dloss, MutableMatrix dlogits,
              const CrossEntropySlips& slips) {
  real count = 0;
  for (Index i = 0; i < targets.size; ++i)
    if (targets[i] >= 0 || slips.count_ignored) ++count;
  const real scale = slips.sign * (slips.seeded ? dloss : 1) / (slips.mean ? count : 1);
  for (Index i = 0; i < logits.rows; ++i) {
    if (targets[i] < 0 && !slips.differentiate_ignored) continue;
    const real shift = shift_of(logits, i, slips.shift);
    real sum = 0;
    for (Index j = 0; j < logits.cols; ++j) sum += std::exp(logits(i, j) - shift);
    for (Index j = 0; j < logits.cols; ++j)
      dlogits(i, j) =
          scale * (std::exp(logits(i, j) - shift) / sum - (j == targets[i] ? slips.at_target : 0));
  }
}

const std::vector<Mistake<CrossEntropyBackward>> cross_entropy_mistakes = {
    {"the division by count is missing: the loss is the mean over the rows that count, not their "
     "sum",
     [](Matrix x, Targets t, real d, MutableMatrix dx) { backward(x, t, d, dx, {.mean = false}); }},
    {"the ignored rows (target -1) are counted: the mean is over the others alone",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.count_ignored = true});
     }},
    {"the ignored rows (target -1) get a gradient; the loss does not depend on them",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.differentiate_ignored = true});
     }},
    {"the ignored rows (target -1) are counted and get a gradient",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.count_ignored = true, .differentiate_ignored = true});
     }},
    {"the term of the target is missing: -x_t is a part of the loss, too",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.at_target = 0});
     }},
    {"the target's term is added: x_t is subtracted in the loss, so 1 is subtracted at the target",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.at_target = -1});
     }},
    {"every sign is opposite: a step of descent would raise the loss",
     [](Matrix x, Targets t, real d, MutableMatrix dx) { backward(x, t, d, dx, {.sign = -1}); }},
    {"dloss is not used: the loss may be one part of a larger one",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.seeded = false});
     }},
    {"both the division by count and the factor dloss are missing",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.mean = false, .seeded = false});
     }},
    {"exp of a large logit is infinite; subtract the row's maximum first",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.shift = Shift::nothing});
     }},
    {"the maximum starts at 0: in a row of negative logits it is never reached",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.shift = Shift::maximum_or_0});
     }},
    {"the maximum is that of the batch, not of the row",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.shift = Shift::batch_maximum});
     }},
    {"the maximum is not reset for every row: it may be that of a row above",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.shift = Shift::maximum_so_far});
     }},
    {"logits(0, 0) or the maximum of row 0 is subtracted in every row; each row needs its own",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.shift = Shift::first_logit});
     }},
};

}  // namespace

Exercise cross_entropy(CrossEntropyBackward* yours) {
  Exercise exercise{"7_cross_entropy", "by differences", {}, {}};
  gradient::Maker make(4);
  const Tensor dloss = Tensor::of(engine::Shape{}, {0.75});
  const auto trial = [&](const std::string& remark, const Tensor& x,
                         const std::vector<std::int32_t>& ids) {
    const gradient::Case c{engine::joined("logits ", x.shape(), ", ", remark), {x}, [=] {
                             return engine::cross_entropy(x, ids);
                           }};
    add_trial(exercise, yours, cross_entropy_mistakes, c.what,
              by_differences(c, dloss, {"dlogits"}), [=](CrossEntropyBackward* f) {
                const Results out = {{"dlogits", Tensor::zeros(x.shape())}};
                f(matrix("logits", x), {"targets", ids.data(), std::ssize(ids)}, dloss.item(),
                  mutable_matrix(out[0]));
                return out;
              });
  };
  trial("targets 2 0 1, dloss 0.75", make.uniform({3, 4}), {2, 0, 1});
  trial("targets 1 -1 3 -1 0, dloss 0.75", make.uniform({5, 4}), {1, -1, 3, -1, 0});
  Tensor large = make.uniform({2, 3});
  for (real& value : large.mutable_values()) value += 1000;
  trial("all about 1000, targets 2 0, dloss 0.75", large, {2, 0});
  // Rows so far apart that one row's maximum does not help in another row. The middle one is the
  // greatest, so that a maximum that is not reset is wrong in the last.
  Tensor apart = make.uniform({3, 3});
  for (Index j = 0; j < 3; ++j) {
    mutable_matrix({"", apart})(0, j) -= 1000;
    mutable_matrix({"", apart})(1, j) += 1000;
  }
  trial("rows about -1000, 1000 and 0, targets 1 2 0, dloss 0.75", apart, {1, 2, 0});
  return exercise;
}

int grade_cross_entropy(CrossEntropyBackward* yours) { return report(cross_entropy(yours)); }

}  // namespace exercises
