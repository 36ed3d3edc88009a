#include "nn/weight_average.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.h"

using engine::Index;
using engine::real;
using engine::Tensor;

namespace {

struct Model {
  Tensor a = Tensor::full({3, 5}, 1), b = Tensor::full({7}, -2);
  void reflect(nn::Reflector& r) {
    r("a", a);
    r("b", b);
  }
};

std::vector<real> block(const nn::FlatParameters& flat, const real* values) {
  return std::vector<real>(values, values + flat.size());
}

}  // namespace

TEST_CASE("weight average: the formula, from the initial weights on") {
  for (const double decay : {0.1, 0.5, 0.999}) {
    Model model;
    const nn::FlatParameters flat(model);
    const nn::WeightAverage average(flat, decay);
    REQUIRE(average);
    double a = 1, b = -2;
    for (Index t = 1; t <= 30; ++t) {
      const double w = std::sin(double(t));
      std::ranges::fill(model.a.mutable_values(), real(w));
      std::ranges::fill(model.b.mutable_values(), real(-w));
      average.update(flat, t);
      const double x = std::min(decay, double(1 + t) / double(10 + t));
      a = x * a + (1 - x) * double(real(w));
      b = x * b - (1 - x) * double(real(w));
      INFO("decay " << decay << ", update " << t);
      const double allowed = 4 * double(t) * std::numeric_limits<real>::epsilon();
      for (Index i = 0; i < 15; ++i) CHECK(std::abs(double(average.values()[i]) - a) <= allowed);
      const real* const second = average.values() + flat.entries()[1].offset;
      for (Index i = 0; i < 7; ++i) CHECK(std::abs(double(second[i]) - b) <= 2 * allowed);
    }
    // The weights themselves stay.
    CHECK(model.a.values()[0] == real(std::sin(30.0)));
  }
}

TEST_CASE("weight average: exchanged with the weights and back, no bit has changed") {
  Model model;
  const nn::FlatParameters flat(model);
  const nn::WeightAverage average(flat, 0.9);
  for (real& x : model.a.mutable_values()) x = real(0.1);
  model.b.mutable_values()[3] = real(-0.0);
  average.update(flat, 1);
  const std::vector<real> weights = block(flat, flat.values()),
                          mean = block(flat, average.values());
  CHECK(weights != mean);
  average.exchange(flat);
  CHECK(block(flat, flat.values()) == mean);
  CHECK(block(flat, average.values()) == weights);
  CHECK(model.a.values()[0] == mean[0]);  // the model sees it
  average.exchange(flat);
  CHECK(block(flat, flat.values()) == weights);
  CHECK(std::signbit(model.b.values()[3]));
  CHECK(block(flat, average.values()) == mean);
}

TEST_CASE("weight average: decay 0 keeps nothing and does nothing") {
  Model model;
  const nn::FlatParameters flat(model);
  const nn::WeightAverage average(flat, 0);
  CHECK_FALSE(average);
  average.update(flat, 1);
  average.exchange(flat);
  CHECK(model.a.values()[0] == 1);
  CHECK(average.values() == nullptr);
}
