// Grades exercise 1, backward of a division of numbers, by differences of engine::div.
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

const std::vector<Mistake<DivideBackward>> divide_mistakes = {
    {"what the slots held is overwritten: write += (or -=), so that every op's part counts",
     [](real a, real b, real dy, real& da, real& db) {
       da = dy / b;
       db = -dy * a / (b * b);
     }},
    {"dy is missing: this is the derivative of y, not of the loss",
     [](real a, real b, real, real& da, real& db) {
       da += 1 / b;
       db -= a / (b * b);
     }},
    {"the sign of db: if b grows, a / b becomes smaller",
     [](real a, real b, real dy, real& da, real& db) {
       da += dy / b;
       db += dy * a / (b * b);
     }},
    {"the square in db is missing: the derivative of 1 / b is -1 / b^2",
     [](real a, real b, real dy, real& da, real& db) {
       da += dy / b;
       db -= dy * a / b;
     }},
    {"a is missing in db: y is a times 1 / b, so its derivative has the factor a",
     [](real, real b, real dy, real& da, real& db) {
       da += dy / b;
       db -= dy / (b * b);
     }},
    {"da as if y were a times b: the derivative of a / b with respect to a is 1 / b",
     [](real a, real b, real dy, real& da, real& db) {
       da += dy * b;
       db -= dy * a / (b * b);
     }},
};

}  // namespace

Exercise divide(DivideBackward* yours) {
  Exercise exercise{"1_divide", "by differences", {}, {}};
  // dy, and what the slots hold before.
  const auto trial = [&](const char* what, double a, double b, double dy, double held) {
    const Tensor x = Tensor::of({}, {a}), z = Tensor::of({}, {b});
    const gradient::Case c{what, {x, z}, [=] { return x / z; }};
    Results right = by_differences(c, Tensor::of({}, {dy}), {"da", "db"});
    for (Result& result : right) result.value = result.value + held;
    add_trial(exercise, yours, divide_mistakes, what, right, [=](DivideBackward* f) {
      real da = static_cast<real>(held), db = da;
      f(x.item(), z.item(), static_cast<real>(dy), da, db);
      return Results{{"da", Tensor(da)}, {"db", Tensor(db)}};
    });
  };
  trial("a = 3, b = 2, dy = 5", 3, 2, 5, 0);
  trial("a = 3, b = -0.5, dy = 2, and slots that hold 1 already", 3, -0.5, 2, 1);
  // a / a: 1 for any a, so that nothing is added to the slot.
  const Tensor held = Tensor::of({}, {0.25});
  add_trial(exercise, yours, divide_mistakes,
            "y = a / a: one slot, which holds 0.25; a = 3, dy = 2", {{"da", held}, {"db", held}},
            [](DivideBackward* f) {
              real slot = 0.25;
              f(3, 3, 2, slot, slot);
              return Results{{"da", Tensor(slot)}, {"db", Tensor(slot)}};
            });
  return exercise;
}

int grade_divide(DivideBackward* yours) { return report(divide(yours)); }

}  // namespace exercises
