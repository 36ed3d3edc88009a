#include "nn/layers.h"

#include <cmath>

namespace nn {

Linear::Linear(Index in, Index out, bool with_bias) : weight(Tensor::zeros({out, in})) {
  weight.require_gradient();
  if (with_bias) bias = Tensor::zeros({out}).require_gradient();
}

void Linear::initialise(Generator& generator) {
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

LayerNorm::LayerNorm(Index channels, bool with_bias) : weight(Tensor::ones({channels})) {
  weight.require_gradient();
  if (with_bias) bias = Tensor::zeros({channels}).require_gradient();
}

void LayerNorm::reflect(Reflector& r) {
  r("weight", weight);
  r("bias", bias);
}

std::string_view name(Activation activation) {
  switch (activation) {
    case Activation::gelu: return "gelu";
    case Activation::gelu_tanh: return "gelu_tanh";
    case Activation::relu: return "relu";
  }
  return "?";
}

FeedForward::FeedForward(Index channels, bool with_bias, Activation activation_, double dropout_p)
    : c_fc(channels, 4 * channels, with_bias),
      c_proj(4 * channels, channels, with_bias),
      activation(activation_),
      dropout{dropout_p} {}

Tensor FeedForward::operator()(const Tensor& x, Generator* generator) const {
  return dropout(
      engine::feed_forward(x, activation, c_fc.weight, c_fc.bias, c_proj.weight, c_proj.bias),
      generator);
}

void FeedForward::reflect(Reflector& r) {
  r("c_fc", c_fc);
  r("c_proj", c_proj);
}

}  // namespace nn
