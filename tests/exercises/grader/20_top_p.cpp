// Grades exercise 20, top-p, against its definition: a token is kept if those more likely than it
// sum to less than p.
#include <algorithm>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// kept[i] = probabilities[i] if keep(the sum of the tokens before i), where before(i, j) says that
// token i comes before j; then divided by divisor(their sum).
template <class Before, class Keep, class Divisor>
void choose(Vector probabilities, MutableVector kept, Before before, Keep keep, Divisor divisor) {
  real sum = 0;
  for (Index j = 0; j < kept.size; ++j) {
    real sum_before = 0;
    for (Index i = 0; i < kept.size; ++i)
      if (before(i, j)) sum_before += probabilities[i];
    kept[j] = keep(sum_before, probabilities[j]) ? probabilities[j] : 0;
    sum += kept[j];
  }
  const real by = divisor(sum);
  for (Index j = 0; j < kept.size; ++j) kept[j] /= by;
}

auto likelier(Vector p) {
  return [p](Index i, Index j) { return p[i] > p[j]; };
}
auto reaches(real p) {
  return [p](real before, real) { return before < p; };
}
real itself(real sum) { return sum; }

const std::vector<Mistake<TopP>> top_p_mistakes = {
    {"the token that crosses p is dropped: the rest sums to less than p",
     [](Vector x, real p, MutableVector kept) {
       choose(
           x, kept, likelier(x), [p](real before, real self) { return before + self <= p; },
           itself);
     }},
    {"the token with which the sum reaches p is dropped: the rest sums to less than p",
     [](Vector x, real p, MutableVector kept) {
       choose(
           x, kept, likelier(x), [p](real before, real self) { return before + self < p; }, itself);
     }},
    {"the token that crosses p is dropped, except if it is the first",
     [](Vector x, real p, MutableVector kept) {
       choose(
           x, kept, likelier(x),
           [p](real before, real self) { return before == 0 || before + self <= p; }, itself);
     }},
    {"one token too many where the sum is exactly p: p is reached then",
     [](Vector x, real p, MutableVector kept) {
       choose(
           x, kept, likelier(x), [p](real before, real) { return before <= p; }, itself);
     }},
    {"not renormalized: what is kept has to sum to 1 again",
     [](Vector x, real p, MutableVector kept) {
       choose(x, kept, likelier(x), reaches(p), [](real) { return real(1); });
     }},
    {"divided by p; the nucleus sums to p or more, so divide by its own sum",
     [](Vector x, real p, MutableVector kept) {
       choose(x, kept, likelier(x), reaches(p), [p](real) { return p; });
     }},
    {"the tokens are taken in the order of the vocabulary; the most likely come first",
     [](Vector x, real p, MutableVector kept) {
       choose(
           x, kept, [](Index i, Index j) { return i < j; }, reaches(p), itself);
     }},
    {"sorted the wrong way round: the least likely tokens are kept",
     [](Vector x, real p, MutableVector kept) {
       choose(
           x, kept, [x](Index i, Index j) { return x[i] < x[j]; }, reaches(p), itself);
     }},
    {"p is compared with each token's probability; it is the sum that has to reach it",
     [](Vector x, real p, MutableVector kept) {
       choose(
           x, kept, likelier(x), [p](real, real self) { return self >= p; }, itself);
     }},
};

}  // namespace

Exercise top_p(TopP* yours) {
  Exercise exercise{"20_top_p", "expected", {}, {}};
  const auto trial = [&](const char* what, double p, std::initializer_list<double> probabilities) {
    const Tensor x = Tensor::of({std::ssize(probabilities)}, probabilities);
    const Results right = {{"kept", Tensor::zeros(x.shape())}};
    choose(vector("probabilities", x), mutable_vector(right[0]),
           likelier(vector("probabilities", x)), reaches(static_cast<real>(p)), itself);
    add_trial(exercise, yours, top_p_mistakes, what, right, [=](TopP* f) {
      const Results out = {{"kept", Tensor::zeros(x.shape())}};
      f(vector("probabilities", x), static_cast<real>(p), mutable_vector(out[0]));
      return out;
    });
  };
  trial("probabilities 0.1 0.5 0.05 0.3 0.05, p 0.7", 0.7, {0.1, 0.5, 0.05, 0.3, 0.05});
  trial("probabilities 0.25 0.125 0.5 0.0625 0.0625, p 0.75: exactly the first two", 0.75,
        {0.25, 0.125, 0.5, 0.0625, 0.0625});
  trial("probabilities 0.2 0.3 0.4 0.1, p 0.05: the most likely alone", 0.05, {0.2, 0.3, 0.4, 0.1});
  trial("probabilities 0.125 0.5 0.25 0.125, p 1: all", 1, {0.125, 0.5, 0.25, 0.125});
  return exercise;
}

int grade_top_p(TopP* yours) { return report(top_p(yours)); }

}  // namespace exercises
