// Grades exercise 13, backward of layer_norm, by differences of engine::layer_norm.
#include <cmath>

#include "model/base/text.h"
#include "tests/exercises/grader/grader.h"

namespace exercises {
namespace {

// The right backward, and what may go wrong in it.
struct NormSlips {
  real mean_term = 1, variance_term = 1;  // 0: left out
  bool weighed = true;                    // g = dy weight, not dy
  bool normalized = true;                 // dweight of h, not of x
  bool summed = true;                     // dweight and dbias over rows
  bool scaled = true;                     // dx times r
  bool means = true;                      // of g and g h, not their sums
  bool epsilon = true;                    // added to variance
  real sign = 1;
  enum { c, c_minus_1, one } divisor = c;  // of variance
};

void backward(Matrix x, Vector weight, Matrix dy, real epsilon, MutableMatrix dx,
              MutableVector dweight, MutableVector dbias, const NormSlips& slips) {
  const real n = static_cast<real>(x.cols);
  for (Index i = 0; i < x.rows; ++i) {
    real mean = 0, squares = 0, mean_g = 0, mean_gh = 0;
    for (Index j = 0; j < x.cols; ++j) mean += x(i, j) / n;
    for (Index j = 0; j < x.cols; ++j) squares += (x(i, j) - mean) * (x(i, j) - mean);
    const real divisor = slips.divisor == NormSlips::c     ? n
                         : slips.divisor == NormSlips::one ? 1
                                                           : n - 1;
    const real r = 1 / std::sqrt(squares / divisor + (slips.epsilon ? epsilon : 0));
    const auto h = [&](Index j) { return (x(i, j) - mean) * r; };
    const auto g = [&](Index j) { return slips.weighed ? dy(i, j) * weight[j] : dy(i, j); };
    for (Index j = 0; j < x.cols; ++j) {
      mean_g += g(j) / (slips.means ? n : 1);
      mean_gh += g(j) * h(j) / (slips.means ? n : 1);
    }
    for (Index j = 0; j < x.cols; ++j) {
      dx(i, j) = slips.sign * (slips.scaled ? r : 1) *
                 (g(j) - slips.mean_term * mean_g - slips.variance_term * h(j) * mean_gh);
      if (!slips.summed) dweight[j] = dbias[j] = 0;
      dweight[j] += slips.sign * dy(i, j) * (slips.normalized ? h(j) : x(i, j));
      dbias[j] += slips.sign * dy(i, j);
    }
  }
}

const std::vector<Mistake<LayerNormBackward>> layer_norm_mistakes = {
    {"mean and r are taken for constants; both depend on every x of the row",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) {
       backward(x, w, dy, e, dx, dw, db, {.mean_term = 0, .variance_term = 0});
     }},
    {"r is taken for a constant: the term with h mean(g h) is missing",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.variance_term = 0}); }},
    {"the mean is taken for a constant: the term mean(g) is missing",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.mean_term = 0}); }},
    {"weight is missing in dx: d loss / d h is dy weight",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.weighed = false}); }},
    {"the factor r is missing in dx",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.scaled = false}); }},
    {"dweight takes x where it needs h, the normalized x",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.normalized = false}); }},
    {"dweight and dbias are overwritten in every row; all rows share them, so they are sums",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.summed = false}); }},
    {"variance divides by C - 1; layer normalization divides by C",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) {
       backward(x, w, dy, e, dx, dw, db, {.divisor = NormSlips::c_minus_1});
     }},
    {"variance is not divided by C: it is a mean of squares, not their sum",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.divisor = NormSlips::one}); }},
    {"epsilon is left out: r = 1 / sqrt(variance + epsilon)",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.epsilon = false}); }},
    {"dx has the sums of g and g h; it needs their means: divide by C",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.means = false}); }},
    {"every sign is opposite: a step of descent would raise the loss",
     [](Matrix x, Vector w, Matrix dy, real e, MutableMatrix dx, MutableVector dw,
        MutableVector db) { backward(x, w, dy, e, dx, dw, db, {.sign = -1}); }},
};

}  // namespace

Exercise layer_norm(LayerNormBackward* yours) {
  Exercise exercise{"13_layer_norm", "by differences", {}, {}};
  gradient::Maker make(3);
  // A large epsilon first, so that leaving it out is no rounding error.
  for (const auto& [rows, cols, epsilon] :
       {std::tuple<Index, Index, real>{3, 5, real(0.125)}, {1, 4, real(1e-5)}}) {
    const Tensor x = make.uniform({rows, cols}), weight = make.away_from_zero({cols}),
                 bias = make.uniform({cols}), dy = make.uniform({rows, cols});
    const gradient::Case c{
        engine::joined("x ", x.shape(), ", weight ", weight.shape(), ", epsilon ",
                       model::short_text(double(epsilon))),
        {x, weight, bias},
        [x, weight, bias, e = epsilon] { return engine::layer_norm(x, weight, bias, double(e)); }};
    add_trial(exercise, yours, layer_norm_mistakes, c.what,
              by_differences(c, dy, {"dx", "dweight", "dbias"}),
              [x, weight, dy, e = epsilon](LayerNormBackward* f) {
                const Results out = {{"dx", Tensor::zeros(x.shape())},
                                     {"dweight", Tensor::zeros(weight.shape())},
                                     {"dbias", Tensor::zeros(weight.shape())}};
                f(matrix("x", x), vector("weight", weight), matrix("dy", dy), e,
                  mutable_matrix(out[0]), mutable_vector(out[1]), mutable_vector(out[2]));
                return out;
              });
  }
  return exercise;
}

int grade_layer_norm(LayerNormBackward* yours) { return report(layer_norm(yours)); }

}  // namespace exercises
