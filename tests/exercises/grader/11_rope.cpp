// Grades exercise 11, backward of rotary position embedding, by differences of engine::rope.
#include <cmath>

#include "engine/attention.h"
#include "engine/ops.h"
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// f(t, i, a) for every pair i of position t, where a is its angle.
template <class F>
void for_each_pair(Matrix angle, F f) {
  for (Index t = 0; t < angle.rows; ++t)
    for (Index i = 0; i < angle.cols; ++i) f(t, i, angle(t, i));
}

// Elements first and second of row t of dx: those of dy, turned by a.
void turn(Matrix dy, MutableMatrix dx, Index t, Index first, Index second, real a) {
  const real u = dy(t, first), v = dy(t, second);
  dx(t, first) = u * std::cos(a) - v * std::sin(a);
  dx(t, second) = u * std::sin(a) + v * std::cos(a);
}

const std::vector<Mistake<RopeBackward>> rope_mistakes = {
    {"turned by a, as in forward; the gradient turns back, by -a",
     [](Matrix dy, Matrix angle, MutableMatrix dx) {
       for_each_pair(angle,
                     [&](Index t, Index i, real a) { turn(dy, dx, t, i, i + angle.cols, a); });
     }},
    {"neighbors 2 i and 2 i + 1 are paired; here the pairs are i and i + D/2",
     [](Matrix dy, Matrix angle, MutableMatrix dx) {
       for_each_pair(angle,
                     [&](Index t, Index i, real a) { turn(dy, dx, t, 2 * i, 2 * i + 1, -a); });
     }},
    {"neighbors 2 i and 2 i + 1 are paired, and turned by a; pair i and i + D/2, and turn by -a",
     [](Matrix dy, Matrix angle, MutableMatrix dx) {
       for_each_pair(angle,
                     [&](Index t, Index i, real a) { turn(dy, dx, t, 2 * i, 2 * i + 1, a); });
     }},
    {"the second half reads the new dx(t, i); it needs dy(t, i)",
     [](Matrix dy, Matrix angle, MutableMatrix dx) {
       for_each_pair(angle, [&](Index t, Index i, real a) {
         const Index j = i + angle.cols;
         dx(t, i) = dy(t, i) * std::cos(a) + dy(t, j) * std::sin(a);
         dx(t, j) = dy(t, j) * std::cos(a) - dx(t, i) * std::sin(a);
       });
     }},
    {"the terms with sin a are missing: each element of x reaches two of y",
     [](Matrix dy, Matrix angle, MutableMatrix dx) {
       for_each_pair(angle, [&](Index t, Index i, real a) {
         for (const Index j : {i, i + angle.cols}) dx(t, j) = dy(t, j) * std::cos(a);
       });
     }},
    {"cos and sin are swapped",
     [](Matrix dy, Matrix angle, MutableMatrix dx) {
       for_each_pair(angle, [&](Index t, Index i, real a) {
         const Index j = i + angle.cols;
         dx(t, i) = dy(t, i) * std::sin(a) + dy(t, j) * std::cos(a);
         dx(t, j) = dy(t, j) * std::sin(a) - dy(t, i) * std::cos(a);
       });
     }},
};

}  // namespace

Exercise rope(RopeBackward* yours) {
  Exercise exercise{"11_rope", "by differences", {}, {}};
  gradient::Maker make(13);
  for (const auto& [T, D] : {std::pair<Index, Index>{3, 4}, {5, 2}, {2, 6}, {1, 4}}) {
    const Tensor x = make.uniform({T, D}), dy = make.uniform({T, D}).detach();
    const Tensor cos_sin = engine::rope_angles(T, D, 100), angle = Tensor::zeros({T, D / 2});
    for (Index t = 0; t < T; ++t)
      for (Index i = 0; i < D / 2; ++i)
        angle.set({t, i}, std::atan2(cos_sin.at({t, i + D / 2}), cos_sin.at({t, i})));
    const gradient::Case c{engine::joined("dy ", dy.shape(), ", angle ", angle.shape()),
                           {x},
                           [x, cos_sin] { return engine::rope(x, cos_sin, 1, 0); }};
    add_trial(exercise, yours, rope_mistakes, c.what, by_differences(c, dy, {"dx"}),
              [dy, angle](RopeBackward* f) {
                const Results out = {{"dx", Tensor::zeros(dy.shape())}};
                f(matrix("dy", dy), matrix("angle", angle), mutable_matrix(out[0]));
                return out;
              });
  }
  return exercise;
}

int grade_rope(RopeBackward* yours) { return report(rope(yours)); }

}  // namespace exercises
