// Solution of exercise 13. In a row, with g_j = dy_j weight_j,
//
//     dmean = -r sum g,   dr = sum g (x - mean),   dvariance = -r^3 / 2 dr
//     dx_j  = r g_j + dmean / C + dvariance 2 (x_j - mean) / C
//           = r (g_j - mean(g) - h_j mean(g h))
//
// (variance does not change with the mean: sum (x - mean) is 0.)
#include <cmath>

#include "tests/exercises/exercise.h"

using namespace exercises;

void layer_norm_backward(Matrix x, Vector weight, Matrix dy, real epsilon, MutableMatrix dx,
                         MutableVector dweight, MutableVector dbias) {
  const real n = static_cast<real>(x.cols);
  for (Index i = 0; i < x.rows; ++i) {
    real mean = 0, variance = 0;
    for (Index j = 0; j < x.cols; ++j) mean += x(i, j) / n;
    for (Index j = 0; j < x.cols; ++j) variance += (x(i, j) - mean) * (x(i, j) - mean) / n;
    const real r = 1 / std::sqrt(variance + epsilon);
    const auto h = [&](Index j) { return (x(i, j) - mean) * r; };
    const auto g = [&](Index j) { return dy(i, j) * weight[j]; };

    real mean_g = 0, mean_gh = 0;
    for (Index j = 0; j < x.cols; ++j) {
      mean_g += g(j) / n;
      mean_gh += g(j) * h(j) / n;
    }
    for (Index j = 0; j < x.cols; ++j) {
      dx(i, j) = r * (g(j) - mean_g - h(j) * mean_gh);
      dweight[j] += dy(i, j) * h(j);
      dbias[j] += dy(i, j);
    }
  }
}

int main() { return grade_layer_norm(layer_norm_backward); }
