// Grades exercise 18, a sum with the same bits for any number of threads: the function is called for
// 1, 2, 3 and 8 threads, and for each with the bodies in three orders.
#include <algorithm>
#include <numeric>

#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

constexpr Index chunk = 64;

// The sum of numbers [begin, end) of x, as far as there are any.
real part(Vector x, Index begin, Index end) {
  real sum = 0;
  for (Index j = begin; j < std::min(end, x.size); ++j) sum += x[j];
  return sum;
}

// Sums `count` parts of `size` numbers each, and adds them in order.
real in_parts(Vector x, Index count, Index size, const ForEach& for_each) {
  std::vector<real> parts(engine::unsigned_size(count));
  for_each(count, [&](Index i) { engine::at(parts, i) = part(x, i * size, (i + 1) * size); });
  return std::accumulate(parts.begin(), parts.end(), real(0));
}

const std::vector<Mistake<SameSum>> same_sum_mistakes = {
    {"the sum is cut into a share for each thread: another number of threads cuts it elsewhere, so "
     "other digits are rounded away; cut by the size of x alone",
     [](Vector x, Index threads, const ForEach& for_each) {
       return in_parts(x, threads, (x.size + threads - 1) / threads, for_each);
     }},
    {"the parts are added in the order in which the bodies run; keep each in a place of its own, "
     "and "
     "add them in the order of their indices when all are done",
     [](Vector x, Index, const ForEach& for_each) {
       real total = 0;
       for_each((x.size + chunk - 1) / chunk,
                [&](Index i) { total += part(x, i * chunk, (i + 1) * chunk); });
       return total;
     }},
    {"for_each is called with a single body: one thread adds everything",
     [](Vector x, Index, const ForEach& for_each) { return in_parts(x, 1, x.size, for_each); }},
    {"the last, shorter chunk is left out: round the number of chunks up",
     [](Vector x, Index, const ForEach& for_each) {
       return in_parts(x, x.size / chunk, chunk, for_each);
     }},
};

// All runs on x. A sum with other bits than that of the first run has a 1 in "other bits".
Results run(SameSum* f, const Tensor& x, Index bodies_needed) {
  std::vector<real> sums, bits, bodies;
  for (const Index threads : {1, 2, 3, 8})
    for (const int order : {0, 1, 2}) {
      Index called = 0;
      const real sum = f(vector("x", x), threads, [&](Index count, const auto& body) {
        called += count;
        for (Index i = 0; i < count; ++i)  // forwards, backwards, the odd ones first
          body(order == 0      ? i
               : order == 1    ? count - 1 - i
               : i < count / 2 ? 2 * i + 1
                               : 2 * (i - count / 2));
      });
      engine::check(called > 0, "for_each has not been called: one thread adds everything");
      sums.push_back(sum);
      bits.push_back(sums.back() == sums.front() ? real(0) : real(1));
      bodies.push_back(static_cast<real>(std::min(called, bodies_needed)));
    }
  const Shape shape{std::ssize(sums)};
  return {{"sum", Tensor::of(shape, std::span(sums))},
          {"other bits", Tensor::of(shape, std::span(bits))},
          {"bodies", Tensor::of(shape, std::span(bodies))}};
}

}  // namespace

Exercise same_sum(SameSum* yours) {
  Exercise exercise{"18_same_sum", "expected", {}, {}};
  const auto trial = [&](Index n, Index bodies_needed) {
    const Tensor x = Tensor::zeros({n});
    for (Index i = 0; i < n; ++i) x.mutable_data()[i] = 1 / static_cast<real>(i + 1);
    SameSum* const right = [](Vector v, Index, const ForEach& for_each) {
      return in_parts(v, (v.size + chunk - 1) / chunk, chunk, for_each);
    };
    add_trial(exercise, yours, same_sum_mistakes,
              engine::joined("1 / i for i = 1 .. ", n,
                             "; runs 0 to 2 with 1 thread, to 5 with 2, to 8 with 3, to 11 with 8; "
                             "three orders each"),
              run(right, x, bodies_needed), [=](SameSum* f) { return run(f, x, bodies_needed); });
  };
  trial(1000, 8);
  trial(130, 0);
  trial(1, 0);
  return exercise;
}

int grade_same_sum(SameSum* yours) { return report(same_sum(yours)); }

}  // namespace exercises
