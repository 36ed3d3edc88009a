// What holds for every optimizer, and lists of parameters for it.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "nn/module.h"
#include "nn/optimizer.h"
#include "tests/catch.h"
#include "tests/unit/engine/scoped_threads.h"

namespace optimizers {

using engine::Buffer;
using engine::Index;
using engine::real;
using engine::Shape;
using engine::Tensor;

inline Tensor random(const Shape& shape, int seed) {
  engine::Generator generator(static_cast<std::uint64_t>(seed));
  return Tensor::randn(shape, generator);
}

inline std::vector<Tensor> parameters(const std::vector<Shape>& shapes) {
  std::vector<Tensor> list;
  for (const Shape& shape : shapes)
    list.push_back(random(shape, int(list.size()) + 1).require_gradient());
  return list;
}

// Those of update t, to all parameters but one.
inline void give_gradients(const std::vector<Tensor>& list, int t, std::size_t none = 3) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i != none) list[i].gradient().accumulate(random(list[i].shape(), 100 * t + int(i)));
}

inline std::vector<real> all_values(const std::vector<Tensor>& list) {
  std::vector<real> all;
  for (const Tensor& t : list) all.insert(all.end(), t.values().begin(), t.values().end());
  return all;
}

// make(parameters) is an optimizer. Where its parameters lie, and how many threads, changes no bit.
template <class Make>
void check_same_bits(const std::vector<Shape>& shapes, std::size_t without_gradient, Make make) {
  struct List {
    std::vector<Tensor> list;
    void reflect(nn::Reflector& r) {
      for (std::size_t i = 0; i < list.size(); ++i) r(std::to_string(i), list[i]);
    }
  };
  std::vector<real> expected;
  double expected_norm = 0;
  for (const int threads : {1, 2, 3, 8})
    for (const bool in_one_block : {true, false}) {
      const ScopedThreads scoped(threads);
      List model{parameters(shapes)};
      std::optional<nn::FlatParameters> flat;
      if (in_one_block) flat.emplace(model);
      auto optimizer = make(model.list);
      double norm = 0;
      for (int t = 0; t < 3; ++t) {
        give_gradients(model.list, t, without_gradient);
        norm = optimizer.step(0.1);
      }
      if (expected.empty()) expected = all_values(model.list), expected_norm = norm;
      INFO(threads << " threads, " << (in_one_block ? "in one block" : "loose"));
      CHECK(norm == expected_norm);
      CHECK(all_values(model.list) == expected);
      for (const Tensor& t : model.list) CHECK_FALSE(t.gradient().written());
    }
}

// Nothing is written beside a parameter of this shape, or beside its gradient, nor read.
template <class Make>
void check_nothing_beside(const Shape& shape, bool gradient_stays, Make make) {
  const Index n = shape.size();
  Buffer values(n + 40), gradients(n + 40);
  std::fill_n(values.data(), values.size(), real(7));
  std::fill_n(gradients.data(), gradients.size(), real(5));
  Tensor p = Tensor::on(values.part(3, n), shape);
  p.require_gradient(gradients.part(5, n));
  p.gradient().accumulate(Tensor::full(shape, 2));
  auto optimizer = make(p);
  CHECK(optimizer.step(0.5) == Approx(2 * std::sqrt(double(n))));
  for (Index i = 0; i < values.size(); ++i) {
    INFO("shape " << shape << ", " << i);
    CHECK((values.data()[i] == 7) == (i < 3 || i >= n + 3));
    const bool beside = i < 5 || i >= n + 5;
    CHECK((gradient_stays ? gradients.data()[i] == (beside ? 5 : 2)
                          : (gradients.data()[i] == 5) == beside));
  }
}

// What a group does under one optimizer it does alone, under the same norm.
template <class Optimizer>
void check_groups(const std::vector<Shape>& shapes) {
  const std::vector<Tensor> together = parameters(shapes), alone = parameters(shapes);
  const auto half = [](const std::vector<Tensor>& all, int which) {
    return std::vector<Tensor>(all.begin() + 4 * which, all.begin() + 4 * (which + 1));
  };
  Optimizer both({{half(together, 0), 0.5}, {half(together, 1), {}, 0.1}},
                 {.weight_decay = 0.2, .grad_clip = 1});
  Optimizer first(half(alone, 0), {.weight_decay = 0.5}),
      second(half(alone, 1), {.weight_decay = 0.2});
  for (int t = 0; t < 3; ++t) {
    give_gradients(together, t);
    give_gradients(alone, t);
    const double norm = nn::gradient_norm(alone);
    CHECK(both.step(0.5) == norm);
    CHECK(norm > 1);
    first.apply(0.5, nn::clipping_factor(norm, 1));
    second.apply(0.5 * 0.1, nn::clipping_factor(norm, 1));
  }
  CHECK(all_values(together) == all_values(alone));
}

// A norm that is not finite changes nothing.
template <class Optimizer>
void check_norms_not_finite(const std::vector<Shape>& shapes) {
  for (const double wrong : {double(INFINITY), double(NAN)}) {
    const std::vector<Tensor> list = parameters(shapes), untouched = parameters(shapes);
    Optimizer optimizer(list, {}), other(untouched, {});
    give_gradients(list, 1);
    Tensor bad = Tensor::zeros(shapes[2]);
    bad.mutable_values().back() = real(wrong);
    list[2].gradient().accumulate(bad);
    CHECK_FALSE(std::isfinite(optimizer.step(0.1)));
    CHECK(all_values(list) == all_values(untouched));
    CHECK(list[0].gradient().written());  // for looking at
    // Nor has the state changed: the next step is a first step.
    for (const Tensor& t : list) t.gradient().clear();
    give_gradients(list, 2);
    give_gradients(untouched, 2);
    optimizer.step(0.1);
    other.step(0.1);
    CHECK(all_values(list) == all_values(untouched));
  }
}

}  // namespace optimizers
