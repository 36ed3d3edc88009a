// Grades exercise 6, the sum over broadcast axes, by differences of engine::add.
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// For every element k of y: add(the element of x that it used, k, whether it is the first to use
// it). `repeated(i)`: whether x is repeated along axis i of y, counted from the end.
template <class Repeated, class Add>
void for_each_use(const Shape& y, const Shape& x, Repeated repeated, Add add) {
  for (Index k = 0; k < y.size(); ++k) {
    Index rest = k, element = 0, stride = 1;
    bool first = true;
    for (int i = 1; i <= y.rank(); ++i) {
      const Index index = rest % y.from_end(i);
      rest /= y.from_end(i);
      if (repeated(i))
        first = first && index == 0;
      else
        element += index * stride;
      stride *= x.from_end(i);
    }
    add(element, k, first);
  }
}

auto of_size_1(const Shape& x) {
  return [x](int i) { return x.from_end(i) == 1; };
}

const std::vector<Mistake<SumTo>> sum_to_mistakes = {
    {"dx is overwritten: of the elements of dy that belong to one of dx the last is left; add them",
     [](Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
       for_each_use(y, x, of_size_1(x), [&](Index e, Index k, bool) { dx[e] = dy[k]; });
     }},
    {"each element of dx has the first of its terms only: it was used in others, too",
     [](Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
       for_each_use(y, x, of_size_1(x), [&](Index e, Index k, bool first) {
         if (first) dx[e] = dy[k];
       });
     }},
    {"the mean over the repetitions; the chain rule asks for the sum",
     [](Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
       const real n = static_cast<real>(dy.size) / static_cast<real>(dx.size);
       for_each_use(y, x, of_size_1(x), [&](Index e, Index k, bool) { dx[e] += dy[k] / n; });
     }},
    {"axes that x does not have are summed over, but not those in which x has size 1",
     [](Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
       for_each_use(
           y, x, [&](int i) { return i > x.rank(); },
           [&](Index e, Index k, bool) { dx[e] += dy[k]; });
     }},
    {"axes of size 1 are summed over, but of those that x does not have only the first index "
     "counts",
     [](Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
       for_each_use(y, x, of_size_1(x), [&](Index e, Index k, bool) {
         if (k < y.product(y.rank() - x.rank(), y.rank())) dx[e] += dy[k];
       });
     }},
    {"the shapes are aligned at their first axes; NumPy's rule aligns the last ones",
     [](Vector dy, const Shape& y, MutableVector dx, const Shape& x) {
       Shape padded = x;
       while (padded.rank() < y.rank()) padded = padded.inserted(padded.rank(), 1);
       for_each_use(y, padded, of_size_1(padded), [&](Index e, Index k, bool) { dx[e] += dy[k]; });
     }},
};

}  // namespace

Exercise sum_to(SumTo* yours) {
  Exercise exercise{"6_sum_to", "by differences", {}, {}};
  gradient::Maker make(11);
  for (const auto& [y, x] : {std::pair<Shape, Shape>{{3, 3, 2}, {3, 1}},
                             {{2, 4}, {4}},
                             {{3, 4}, {3, 1}},
                             {{2, 3, 2, 2}, {3, 1, 2}},
                             {{2, 3}, {2, 3}},
                             {{5}, {}}}) {
    const Tensor dy = make.uniform(y).detach(), leaf = make.uniform(x);
    const gradient::Case c{engine::joined("y ", y, ", x ", x),
                           {leaf},
                           [leaf, zeros = Tensor::zeros(y)] { return leaf + zeros; }};
    add_trial(exercise, yours, sum_to_mistakes, c.what, by_differences(c, dy, {"dx"}),
              [dy, y = y, x = x](SumTo* f) {
                const Results out = {{"dx", Tensor::zeros(x)}};
                f(vector("dy", dy), y, mutable_vector(out[0]), x);
                return out;
              });
  }
  return exercise;
}

int grade_sum_to(SumTo* yours) { return report(sum_to(yours)); }

}  // namespace exercises
