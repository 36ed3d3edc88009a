// Linear, Embedding, LayerNorm, RMSNorm, Dropout, FeedForward. A new layer has zero weights (norms:
// ones); initialize(layer, generator) draws PyTorch's initial values. A layer is called like a
// function. Layers with dropout take a generator: not null in training; null in evaluation, without
// dropout.
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/names.h"
#include "engine/kernels/gemm/gemm.h"
#include "engine/ops.h"
#include "nn/module.h"

namespace nn {

// y = x W^T + b: (..., in) -> (..., out). weight (out, in), bias (out) or absent.
struct Linear {
  Tensor weight, bias;
  engine::kernels::PackedMatrix packed;  // the weight after pack(), for evaluation only
  Linear() = default;
  Linear(Index in, Index out, bool with_bias = true);
  Tensor operator()(const Tensor& x) const {
    return packed ? engine::linear(x, packed, bias) : engine::linear(x, weight, bias);
  }
  // Stores the weight in the order in which products read it. Frees `weight`, unless another handle
  // shares it. Afterwards reflect and initialize are errors.
  void pack();
  void initialize(Generator& generator);  // uniform in +-1/sqrt(in), weight first
  void reflect(Reflector& r);
};

// y[t] = weight[ids[t]]: ids of shape (...) -> (..., channels). weight (entries, channels).
struct Embedding {
  Tensor weight;
  Embedding() = default;
  Embedding(Index entries, Index channels);
  Tensor operator()(std::span<const std::int32_t> ids, const engine::Shape& shape) const {
    return engine::embedding(weight, ids, shape);
  }
  Tensor operator()(std::span<const std::int32_t> ids) const {
    return (*this)(ids, {std::ssize(ids)});
  }
  void initialize(Generator& generator);  // from the standard normal distribution
  void reflect(Reflector& r);
};

// Rows normalized to mean 0 and variance 1 (layernorm) or divided by their root mean square
// (rmsnorm), times weight (C), plus bias (C) unless absent: (..., C) -> (..., C).
enum class NormKind { layernorm, rmsnorm };
struct Norm {
  NormKind kind = NormKind::layernorm;
  Tensor weight, bias;
  double epsilon = 1e-5;
  Norm() = default;
  // rmsnorm has no bias.
  Norm(NormKind kind_, Index channels, bool with_bias, double epsilon_ = 1e-5);
  Tensor operator()(const Tensor& x) const {
    return kind == NormKind::rmsnorm ? engine::rms_norm(x, weight, epsilon)
                                     : engine::layer_norm(x, weight, bias, epsilon);
  }
  void reflect(Reflector& r);
};
struct LayerNorm : Norm {
  LayerNorm() = default;
  explicit LayerNorm(Index channels, bool with_bias = true)
      : Norm(NormKind::layernorm, channels, with_bias) {}
};
struct RMSNorm : Norm {
  RMSNorm() { kind = NormKind::rmsnorm; }
  explicit RMSNorm(Index channels, double epsilon_ = 1e-5)
      : Norm(NormKind::rmsnorm, channels, false, epsilon_) {}
};

// Each element is 0 with probability p, else x / (1 - p). generator null: evaluation, y = x.
struct Dropout {
  double p = 0;
  Tensor operator()(const Tensor& x, Generator* generator) const {
    return generator != nullptr && p > 0 ? engine::dropout(x, p, *generator) : x;
  }
};

using engine::activate;
using engine::Activation;
// The hidden features of a feed-forward part of C channels: 4C; with swiglu, which has three
// matrices instead of two, 8C/3 rounded up to a multiple of 32.
Index hidden_features(Index channels, Activation activation);

// dropout(W2 act(W1 x)): (..., C) -> (..., C). With swiglu the first half of W1 x is the gate of
// the second. generator null: evaluation, no dropout.
struct FeedForward {
  Linear c_fc, c_proj;  // nanoGPT's names
  Activation activation = Activation::gelu;
  Dropout dropout;
  FeedForward() = default;
  // hidden 0: hidden_features(channels, activation_).
  FeedForward(Index channels, bool with_bias, Activation activation_, double dropout_p,
              Index hidden = 0);
  Tensor operator()(const Tensor& x, Generator* generator = nullptr) const;
  void reflect(Reflector& r);
};

}  // namespace nn

template <>
inline constexpr auto engine::names_of<engine::Activation> = engine::names("gelu", "gelu_tanh",
                                                                           "relu", "relu2",
                                                                           "swiglu");
template <>
inline constexpr auto engine::names_of<nn::NormKind> = engine::names("layernorm", "rmsnorm");
