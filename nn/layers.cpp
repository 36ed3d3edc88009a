#include "nn/layers.h"

#include <cmath>

#include "engine/base/index.h"

namespace nn {

Linear::Linear(Index in, Index out, bool with_bias) : weight(Tensor::zeros({out, in})) {
  weight.require_gradient();
  if (with_bias) bias = Tensor::zeros({out}).require_gradient();
}

void Linear::pack() {
  packed = engine::kernels::PackedMatrix(weight.matrix().transposed());
  weight = {};
}

namespace {

void check_has_weight(const Linear& layer) {
  engine::check(!layer.packed, "linear: a packed layer is for evaluation only: its weight (",
                layer.packed.cols(), ", ", layer.packed.rows(),
                ") can no longer be set, counted or saved");
}

}  // namespace

void Linear::initialize(Generator& generator) {
  check_has_weight(*this);
  if (!weight) return;  // an absent layer
  const double bound = 1 / std::sqrt(static_cast<double>(weight.shape()[1]));
  generator.uniform(weight.mutable_values(), -bound, bound);
  if (bias) generator.uniform(bias.mutable_values(), -bound, bound);
}

void Linear::reflect(Reflector& r) {
  check_has_weight(*this);
  r("weight", weight);
  r("bias", bias);
}

Embedding::Embedding(Index entries, Index channels) : weight(Tensor::zeros({entries, channels})) {
  weight.require_gradient();
}

void Embedding::initialize(Generator& generator) {
  generator.normal(weight.mutable_values(), 0, 1);
}

void Embedding::reflect(Reflector& r) { r("weight", weight); }

Norm::Norm(NormKind kind_, Index channels, bool with_bias, double epsilon_)
    : kind(kind_), weight(Tensor::ones({channels})), epsilon(epsilon_) {
  weight.require_gradient();
  if (with_bias && kind == NormKind::layernorm) bias = Tensor::zeros({channels}).require_gradient();
}

void Norm::reflect(Reflector& r) {
  r("weight", weight);
  r("bias", bias);
}

Index hidden_features(Index channels, Activation activation) {
  const Index eight = engine::Shape{8, channels}.size();  // an Error if that is too large
  return activation == Activation::swiglu ? engine::round_up(eight, 96) / 3 : eight / 2;
}

FeedForward::FeedForward(Index channels, bool with_bias, Activation activation_, double dropout_p,
                         Index hidden)
    : activation(activation_), dropout{dropout_p} {
  if (hidden == 0) hidden = hidden_features(channels, activation);
  const Index halves = activation == Activation::swiglu ? 2 : 1;
  c_fc = Linear(channels, engine::Shape{halves, hidden}.size(), with_bias);
  c_proj = Linear(hidden, channels, with_bias);
}

Tensor FeedForward::operator()(const Tensor& x, Generator* generator) const {
  if (c_fc.packed) return c_proj(activate(activation, c_fc(x)));
  return dropout(
      engine::feed_forward(x, activation, c_fc.weight, c_fc.bias, c_proj.weight, c_proj.bias),
      generator);
}

void FeedForward::reflect(Reflector& r) {
  r("c_fc", c_fc);
  r("c_proj", c_proj);
}

}  // namespace nn
