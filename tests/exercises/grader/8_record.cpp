// Grades exercise 8, an op that keeps only what backward needs: its gradient by differences, and
// the memory that the tape holds after the forward pass.
#include <cmath>

#include "engine/ops.h"
#include "engine/tape.h"
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// The op with another closure: backward(x, e, y) returns a function from dy to dx.
template <class F>
Tensor recorded(const Tensor& x, real c, F backward) {
  const Tensor e = exp(-c * x.detach()), y = 1 / (1 + e);
  return engine::record("scaled_sigmoid", y, {x.gradient()},
                        [dx = x.gradient(), f = backward(x.detach(), e, y)](const Tensor& dy) {
                          dx.accumulate(f(dy));
                        });
}

const std::vector<Mistake<RecordedOp>> record_mistakes = {
    {"an array besides y is kept, an intermediate result or a copy of y: find it from y instead",
     [](const Tensor& x, real c) {
       return recorded(x, c, [c](const Tensor&, const Tensor& e, const Tensor& y) {
         return [=](const Tensor& dy) { return dy * c * e * y * y; };
       });
     }},
    {"x is kept: where x is the result of an op that does not keep it, it is an array more",
     [](const Tensor& x, real c) {
       return recorded(x, c, [c](const Tensor& input, const Tensor&, const Tensor& y) {
         return [=](const Tensor& dy) { return dy * c * exp(-c * input) * y * y; };
       });
     }},
    {"x is kept, and so is an intermediate result or a copy of y",
     [](const Tensor& x, real c) {
       return recorded(x, c, [c](const Tensor& input, const Tensor& e, const Tensor& y) {
         return [=](const Tensor& dy) { return (dy * c * e * y * y).reshape(input.shape()); };
       });
     }},
    {"the factor c is missing: it is the derivative of c x",
     [](const Tensor& x, real c) {
       return recorded(x, c, [](const Tensor&, const Tensor&, const Tensor& y) {
         return [=](const Tensor& dy) { return dy * y * (1 - y); };
       });
     }},
    {"e is not 1 - y: solve y = 1 / (1 + e) for e",
     [](const Tensor& x, real c) {
       return recorded(x, c, [c](const Tensor&, const Tensor&, const Tensor& y) {
         return [=](const Tensor& dy) { return dy * c * (1 - y) * y * y; };
       });
     }},
    {"dy is missing: this is the derivative of y, not of the loss",
     [](const Tensor& x, real c) {
       return recorded(x, c, [c](const Tensor&, const Tensor&, const Tensor& y) {
         return [=](const Tensor&) { return c * y * (1 - y); };
       });
     }},
};

// How many arrays of x's size the tape holds after the forward pass of loss = sum(y y).
real arrays_kept(RecordedOp* f, real c, bool x_is_leaf) {
  Tensor leaf = Tensor::zeros({1 << 16});  // so large that all else in memory rounds to 0 arrays
  leaf.require_gradient();
  const engine::Tape tape;
  const std::size_t before = engine::pool::usage().live;
  const auto loss = [=](const Tensor& x) {
    const Tensor y = f(x, c);
    return sum(y * y);
  };
  const Tensor held = loss(x_is_leaf ? leaf : leaf + 1);
  const double bytes = static_cast<double>(engine::pool::usage().live - before);
  return static_cast<real>(std::round(bytes / engine::pool::block_bytes(sizeof(real) << 16)));
}

}  // namespace

Exercise record(RecordedOp* yours) {
  Exercise exercise{"8_record", "expected", {}, {}};
  gradient::Maker make(12);
  for (const auto& [shape, c] : {std::pair<Shape, real>{{2, 3}, 2}, {{4}, -0.5}, {{1, 1}, 3}}) {
    const Tensor x = make.uniform(shape), dy = make.uniform(shape).detach();
    const gradient::Case right_case{
        engine::joined("x ", shape, ", c ", c, "; kept[0] if x is a result, kept[1] if a leaf"),
        {x},
        [x, c = c] { return sigmoid(c * x); }};
    Results right = by_differences(right_case, dy, {"dx"});
    right.push_back({"y", sigmoid(c * x.detach())});
    right.push_back({"kept", Tensor::ones({2})});
    add_trial(
        exercise, yours, record_mistakes, right_case.what, right, [x, dy, c = c](RecordedOp* f) {
          Tensor leaf = x.clone();
          leaf.require_gradient();
          engine::Tape tape;
          const Tensor y = f(leaf, c);
          tape.backward(y, dy);
          return Results{{"dx", leaf.gradient().value()},
                         {"y", y.detach()},
                         {"kept", Tensor::of({arrays_kept(f, c, false), arrays_kept(f, c, true)})}};
        });
  }
  return exercise;
}

int grade_record(RecordedOp* yours) { return report(record(yours)); }

}  // namespace exercises
