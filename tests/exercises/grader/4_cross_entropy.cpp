// Grades exercise 4, backward of cross_entropy, by differences of engine::cross_entropy.
#include <cmath>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// The right backward, and what may go wrong in it.
struct Slips {
  bool mean = true;            // over rows, not their sum
  bool count_ignored = false;  // among the rows of the mean
  bool differentiate_ignored = false;
  real at_target = 1;  // subtracted at the target
  real sign = 1;
  bool seeded = true;   // times dloss
  bool shifted = true;  // by the row's maximum
};

void backward(Matrix logits, Targets targets, real dloss, MutableMatrix dlogits,
              const Slips& slips) {
  real count = 0;
  for (Index i = 0; i < targets.size; ++i)
    if (targets[i] >= 0 || slips.count_ignored) ++count;
  const real scale = slips.sign * (slips.seeded ? dloss : 1) / (slips.mean ? count : 1);
  for (Index i = 0; i < logits.rows; ++i) {
    if (targets[i] < 0 && !slips.differentiate_ignored) continue;
    real max = logits(i, 0), sum = 0;
    for (Index j = 0; j < logits.cols; ++j) max = std::fmax(max, logits(i, j));
    if (!slips.shifted) max = 0;
    for (Index j = 0; j < logits.cols; ++j) sum += std::exp(logits(i, j) - max);
    for (Index j = 0; j < logits.cols; ++j)
      dlogits(i, j) =
          scale * (std::exp(logits(i, j) - max) / sum - (j == targets[i] ? slips.at_target : 0));
  }
}

const std::vector<Mistake<CrossEntropyBackward>> mistakes = {
    {"1/N is missing: the loss is the mean over rows, not their sum",
     [](Matrix x, Targets t, real d, MutableMatrix dx) { backward(x, t, d, dx, {.mean = false}); }},
    {"the ignored rows (target -1) are counted in N",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.count_ignored = true});
     }},
    {"the ignored rows (target -1) get a gradient; the loss does not depend on them",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.differentiate_ignored = true});
     }},
    {"the ignored rows (target -1) are counted in N and get a gradient",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.count_ignored = true, .differentiate_ignored = true});
     }},
    {"the term of the target is missing: -x_t is a part of the loss, too",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.at_target = 0});
     }},
    {"the sign is wrong: this gradient raises the loss's negative",
     [](Matrix x, Targets t, real d, MutableMatrix dx) { backward(x, t, d, dx, {.sign = -1}); }},
    {"dloss is not used: the loss may be one part of a larger one",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.seeded = false});
     }},
    {"exp of a large logit is infinite; subtract the row's maximum first",
     [](Matrix x, Targets t, real d, MutableMatrix dx) {
       backward(x, t, d, dx, {.shifted = false});
     }},
};

}  // namespace

Exercise cross_entropy(CrossEntropyBackward* yours) {
  Exercise exercise{"4_cross_entropy", "by differences", {}, {}};
  gradient::Maker make(4);
  const Tensor dloss = Tensor::of(engine::Shape{}, {0.75});
  const auto trial = [&](const std::string& remark, const Tensor& x,
                         const std::vector<std::int32_t>& ids) {
    const gradient::Case c{engine::joined("logits ", x.shape(), ", ", remark), {x}, [=] {
                             return engine::cross_entropy(x, ids);
                           }};
    add_trial(exercise, yours, mistakes, c.what, by_differences(c, dloss, {"dlogits"}),
              [=](CrossEntropyBackward* f) {
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
  return exercise;
}

int grade_cross_entropy(CrossEntropyBackward* yours) { return report(cross_entropy(yours)); }

}  // namespace exercises
