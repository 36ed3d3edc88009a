// Grades exercise 9, the causal mask: the masked scores' softmax against the engine's. So any score
// with an exp of 0 will do, -inf as well as -1e9.
#include <limits>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

constexpr real infinity = std::numeric_limits<real>::infinity();

template <class Hidden>
void mask(MutableMatrix scores, real value, Hidden hidden) {
  for (Index t = 0; t < scores.rows; ++t)
    for (Index s = 0; s < scores.cols; ++s)
      if (hidden(t, s)) scores(t, s) = value;
}

const std::vector<Mistake<MaskScores>> causal_mask_mistakes = {
    {"off by one: a token does not see itself, and the first sees nothing",
     [](MutableMatrix x) { mask(x, -infinity, [](Index t, Index s) { return s >= t; }); }},
    {"off by one: a token sees the next one, the one that it is to predict",
     [](MutableMatrix x) { mask(x, -infinity, [](Index t, Index s) { return s > t + 1; }); }},
    {"transposed: the past is hidden and the future is seen",
     [](MutableMatrix x) { mask(x, -infinity, [](Index t, Index s) { return s < t; }); }},
    {"the hidden scores are 0, but exp(0) is 1: what is hidden still has weight",
     [](MutableMatrix x) { mask(x, 0, [](Index t, Index s) { return s > t; }); }},
    {"the wrong ones are hidden: all that a token may see",
     [](MutableMatrix x) { mask(x, -infinity, [](Index t, Index s) { return s <= t; }); }},
    {"the scores are as they were",
     [](MutableMatrix x) { mask(x, 0, [](Index, Index) { return false; }); }},
};

}  // namespace

Exercise causal_mask(MaskScores* yours) {
  Exercise exercise{"9_causal_mask", "expected", {}, {}};
  gradient::Maker make(5);
  for (const Index n : {1, 2, 5}) {
    const Tensor scores = make.away_from_zero({n, n});
    const Tensor right =
        engine::softmax(engine::masked_fill(scores.detach(), engine::causal_mask(n, n), -infinity));
    add_trial(exercise, yours, causal_mask_mistakes, engine::joined("scores ", scores.shape()),
              {{"weights", right}}, [=](MaskScores* f) {
                const Result out{"scores", scores.clone()};
                f(mutable_matrix(out));
                return Results{{"weights", engine::softmax(out.value)}};
              });
  }
  return exercise;
}

int grade_causal_mask(MaskScores* yours) { return report(causal_mask(yours)); }

}  // namespace exercises
