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

void Linear::initialise(Generator& generator) {
  if (!weight) return;  // an absent layer
  const double bound = 1 / std::sqrt(static_cast<double>(weight.shape()[1]));
  generator.uniform(weight.mutable_values(), -bound, bound);
  if (bias) generator.uniform(bias.mutable_values(), -bound, bound);
}

void Linear::reflect(Reflector& r) {
  r("weight", weight);
  r("bias", bias);
}

Embedding::Embedding(Index entries, Index channels) : weight(Tensor::zeros({entries, channels})) {
  weight.require_gradient();
}

void Embedding::initialise(Generator& generator) {
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
  return activation == Activation::swiglu ? engine::round_up(8 * channels, 96) / 3 : 4 * channels;
}

FeedForward::FeedForward(Index channels, bool with_bias, Activation activation_, double dropout_p,
                         Index hidden)
    : activation(activation_), dropout{dropout_p} {
  if (hidden == 0) hidden = hidden_features(channels, activation);
  c_fc = Linear(channels, activation == Activation::swiglu ? 2 * hidden : hidden, with_bias);
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
