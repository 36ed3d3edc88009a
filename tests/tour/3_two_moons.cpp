// Tour, 3 of 8: a small network learns to tell two moons apart, by gradient descent.
//
// Layers list their parameters once, in reflect; the optimizer, the initial values and saving follow
// from that list. (Slots for gradients are made by each layer's constructor.) A training step is four
// lines: tape, loss, backward, step. (step also clears the gradients: there is no zero_grad.)
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "engine/ops.h"
#include "engine/tape.h"
#include "nn/layers.h"
#include "nn/sgd.h"

using namespace engine;

namespace {

// Two hidden layers of 16 units.
struct Network {
  nn::Linear first{2, 16}, second{16, 16}, third{16, 2};
  Tensor operator()(const Tensor& x) const { return third(tanh(second(tanh(first(x))))); }
  void reflect(nn::Reflector& r) {
    r("first", first);
    r("second", second);
    r("third", third);
  }
};

constexpr Index points = 200;

// Half of the points lie on each of two half circles, with some noise.
Tensor two_moons(Generator& generator, std::vector<std::int32_t>& moons) {
  const Tensor noise = Tensor::randn({points, 2}, generator);
  Tensor x = Tensor::uninitialized({points, 2});
  const std::span<real> xy = x.mutable_values();
  for (std::size_t i = 0; i < points; ++i) {
    const bool lower = i % 2 == 1;
    const double angle = std::numbers::pi * static_cast<double>(i) / points;
    const double across = lower ? 1 - std::cos(angle) : std::cos(angle),
                 up = lower ? 0.5 - std::sin(angle) : std::sin(angle);
    xy[2 * i] = static_cast<real>(across) + noise.data()[2 * i] / 10;
    xy[2 * i + 1] = static_cast<real>(up) + noise.data()[2 * i + 1] / 10;
    moons.push_back(lower);
  }
  return x;
}

// What the network says about each place in the plane: . for the first moon, # for the second. The
// points of the moons are o and +.
void draw(const Network& network, const Tensor& x, const std::vector<std::int32_t>& moons) {
  constexpr Index rows = 17, columns = 62;
  Tensor places = Tensor::uninitialized({rows * columns, 2});
  const std::span<real> xy = places.mutable_values();
  const auto across = [](Index column) {
    return -1.5 + 4.0 * static_cast<double>(column) / columns;
  };
  const auto up = [](Index row) { return 1.5 - 2.5 * static_cast<double>(row) / rows; };
  for (Index i = 0; i < rows * columns; ++i) {
    xy[static_cast<std::size_t>(2 * i)] = static_cast<real>(across(i % columns));
    xy[static_cast<std::size_t>(2 * i + 1)] = static_cast<real>(up(i / columns));
  }
  std::string picture;
  for (const std::int32_t moon : argmax(network(places))) picture += moon == 0 ? '.' : '#';
  for (Index i = 0; i < points; ++i) {
    const auto column = static_cast<Index>((x.at({i, 0}) + 1.5) / 4 * columns),
               row = static_cast<Index>((1.5 - x.at({i, 1})) / 2.5 * rows);
    if (column >= 0 && column < columns && row >= 0 && row < rows)
      picture[static_cast<std::size_t>(row * columns + column)] =
          moons[static_cast<std::size_t>(i)] == 0 ? 'o' : '+';
  }
  for (std::size_t row = 0; row < rows; ++row)
    std::printf("  %s\n", picture.substr(row * columns, columns).c_str());
}

}  // namespace

int main() {
  Generator generator(1);
  std::vector<std::int32_t> moons;
  const Tensor x = two_moons(generator, moons);

  Network network;
  nn::initialize(network, generator);
  nn::SGD optimizer(nn::tensors(network), {.momentum = 0.9});
  std::printf("two moons: %d points, a network of %d parameters\n", static_cast<int>(points),
              static_cast<int>(nn::parameter_count(network)));
  for (int step = 0; step <= 300; ++step) {
    Tape tape;
    const Tensor loss = cross_entropy(network(x), moons);
    if (step % 50 == 0)
      std::printf("  step %3d: loss %.2f\n", step, static_cast<double>(loss.item()));
    tape.backward(loss);
    optimizer.step(0.03);
  }
  std::printf("where it sees one moon (.) and the other (#), with the points of each (o, +):\n");
  draw(network, x, moons);
  std::printf(
      "\nnext: make tour N=4 (tests/tour/4_attention.cpp), or the exercises, make exercise\n");
}
