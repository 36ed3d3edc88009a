// The grader of the exercises. Every exercise is graded by trials: inputs, on which the reader's
// function is run, and the right results, found by central differences (tests/gradient/check.h) or
// computed by the engine.
//
// A mistake is a function too, with a name: what is easily written instead of the right thing. If a
// wrong result equals a mistake's on every trial, the grader says its name; nothing is guessed.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/tensor.h"
#include "tests/exercises/exercise.h"
#include "tests/gradient/case.h"

namespace exercises {

struct Result {
  std::string name;  // "da"
  Tensor value;
};
using Results = std::vector<Result>;
using Run = std::function<Results()>;  // may throw: an index out of range

struct Trial {
  std::string what;  // "a (3, 4), b (4)"
  Results right;
  Run yours;
  std::vector<Run> mistakes;  // in the order of Exercise::mistakes
};

struct Exercise {
  std::string file;                   // "4_mul"
  std::string truth;                  // of right: "by differences"
  std::vector<std::string> mistakes;  // "db[j] is ..."
  std::vector<Trial> trials;
};

struct Grade {
  bool passed;
  std::string text;  // lines, for the reader
};
Grade grade(const Exercise& exercise);

// Prints the grade; 0 if passed, else 1: for main to return. An answer that crashes, or runs for
// more than `seconds` of CPU time, ends the program with a line that says so.
int report(const Exercise& exercise, int seconds = 10);

// From here on, a crash and the end of that time print a line that begins with `exercise`.
void guard(const std::string& exercise, int seconds);

// The exercise with the answer of somebody who made the mistake.
Exercise with_mistake(Exercise exercise, std::size_t mistake);

// The exercises by number, from 1. `yours` may be null if it is not run.
Exercise divide(DivideBackward* yours);
Exercise accumulate(Accumulate* yours);
Exercise tape_run(TapeRun* yours);
Exercise mul(MulBackward* yours);
Exercise softmax(SoftmaxBackward* yours);
Exercise sum_to(SumTo* yours);
Exercise cross_entropy(CrossEntropyBackward* yours);
Exercise layer_norm(LayerNormBackward* yours);
Exercise record(RecordedOp* yours);
Exercise causal_mask(MaskScores* yours);
Exercise attention(AttentionHead* yours);
Exercise rope(RopeBackward* yours);
Exercise block_backward(BlockBackward* yours);
Exercise swiglu(SwigluBackward* yours);
Exercise embedding(EmbeddingBackward* yours);
Exercise momentum(MomentumStep* yours);
Exercise matmul_tile(MatmulTile* yours);
Exercise same_sum(SameSum* yours);
Exercise merge(MergeOnce* yours);
Exercise top_p(TopP* yours);

// --- for the definitions of exercises ------------------------------------------------------------

template <class F>
struct Mistake {
  const char* what;
  F* answer;
};

// Adds a trial: run(f) calls f on the trial's inputs.
template <class F, class R>
void add_trial(Exercise& exercise, F* yours, const std::vector<Mistake<F>>& mistakes,
               std::string what, Results right, R run) {
  Trial trial{std::move(what), std::move(right), [=] { return run(yours); }, {}};
  exercise.mistakes.clear();
  for (const Mistake<F>& mistake : mistakes) {
    exercise.mistakes.push_back(mistake.what);
    trial.mistakes.push_back([run, answer = mistake.answer] { return run(answer); });
  }
  exercise.trials.push_back(std::move(trial));
}

// The gradients of the case's inputs if y's is dy, by differences; names[i] is of input i.
Results by_differences(const gradient::Case& c, const Tensor& dy,
                       std::initializer_list<const char*> names);

// Views of a tensor, for reading and for writing.
inline Matrix matrix(const char* name, const Tensor& x) {
  return {name, x.data(), x.shape().rows(), x.shape().cols()};
}
inline Vector vector(const char* name, const Tensor& x) { return {name, x.data(), x.size()}; }
inline MutableMatrix mutable_matrix(const Result& x) {
  return {x.name.c_str(), x.value.mutable_data(), x.value.shape().rows(), x.value.shape().cols()};
}
inline MutableVector mutable_vector(const Result& x) {
  return {x.name.c_str(), x.value.mutable_data(), x.value.size()};
}

}  // namespace exercises
