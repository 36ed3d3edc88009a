// Grades exercise 10, a head of attention, against the engine's ops.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// A head of attention, and what may go wrong in it.
struct HeadSlips {
  double scale;  // of scores
  bool causal = true;
  bool over_queries = false;  // softmax along the wrong axis
  bool mask_weights = false;  // after softmax, not before it
};

void head(Matrix q, Matrix k, Matrix v, MutableMatrix context, const HeadSlips& slips) {
  const Index n = q.rows;
  const auto on = [](const Matrix& x) {
    return Tensor::of({x.rows, x.cols}, std::span(x.data, engine::unsigned_size(x.rows * x.cols)));
  };
  const Tensor mask = engine::causal_mask(n, n);
  Tensor scores = engine::matmul(on(q), engine::transpose(on(k))) * slips.scale;
  if (slips.causal && !slips.mask_weights)
    scores = engine::masked_fill(scores, mask, -std::numeric_limits<real>::infinity());
  Tensor weights = slips.over_queries
                       ? engine::transpose(engine::softmax(engine::transpose(scores)))
                       : engine::softmax(scores);
  if (slips.mask_weights) weights = engine::masked_fill(weights, mask, 0);
  const Tensor result = engine::matmul(weights, on(v));
  std::ranges::copy(result.values(), context.data);
}

double root(Index n) { return std::sqrt(static_cast<double>(n)); }

const std::vector<Mistake<AttentionHead>> attention_mistakes = {
    {"the scores are not divided by sqrt(D)",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) { head(q, k, v, c, {.scale = 1}); }},
    {"the scores are divided by D, not by its square root",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) {
       head(q, k, v, c, {.scale = 1 / static_cast<double>(q.cols)});
     }},
    {"the scores are multiplied by sqrt(D), not divided",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) {
       head(q, k, v, c, {.scale = root(q.cols)});
     }},
    {"the square root is that of E, the columns of v; a dot product has D terms",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) {
       head(q, k, v, c, {.scale = 1 / root(v.cols)});
     }},
    {"the square root is that of T, the number of tokens; a dot product has D terms",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) {
       head(q, k, v, c, {.scale = 1 / root(q.rows)});
     }},
    {"no mask: tokens see those after them",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) {
       head(q, k, v, c, {.scale = 1 / root(q.cols), .causal = false});
     }},
    {"softmax runs over the wrong axis, over the queries of a key",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) {
       head(q, k, v, c, {.scale = 1 / root(q.cols), .over_queries = true});
     }},
    {"the mask comes after softmax: a row's weights no longer sum to 1",
     [](Matrix q, Matrix k, Matrix v, MutableMatrix c) {
       head(q, k, v, c, {.scale = 1 / root(q.cols), .mask_weights = true});
     }},
};

}  // namespace

Exercise attention(AttentionHead* yours) {
  Exercise exercise{"10_attention", "expected", {}, {}};
  gradient::Maker make(6);
  for (const auto& [n, depth, width] :
       {std::tuple<Index, Index, Index>{1, 3, 2}, {2, 3, 4}, {5, 4, 3}}) {
    const Tensor q = make.uniform({n, depth}).detach(), k = make.uniform({n, depth}).detach(),
                 v = make.uniform({n, width}).detach();
    const Results right = {{"context", Tensor::zeros(v.shape())}};
    head(matrix("q", q), matrix("k", k), matrix("v", v), mutable_matrix(right[0]),
         {.scale = 1 / root(depth)});
    add_trial(exercise, yours, attention_mistakes,
              engine::joined("q and k ", q.shape(), ", v ", v.shape()), right,
              [q, k, v](AttentionHead* f) {
                const Results out = {{"context", Tensor::zeros(v.shape())}};
                f(matrix("q", q), matrix("k", k), matrix("v", v), mutable_matrix(out[0]));
                return out;
              });
  }
  return exercise;
}

int grade_attention(AttentionHead* yours) { return report(attention(yours)); }

}  // namespace exercises
