// The fused ops, written out with the simple ops of engine/ops.h, which have derivatives of a line
// each. (Fused: computed in one pass, without the results in between, and with one derivative, made
// by hand.) The gradient tests compare values and gradients of both. Shapes are those of the ops of
// the same name.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "engine/attention.h"
#include "engine/ops.h"

namespace engine::composed {

// e^(x - c) / sum e^(x - c): any c gives the same, and with the row's maximum no power overflows.
inline Tensor softmax(const Tensor& x) {
  const Tensor e = exp(x - max(x.detach(), -1, true));
  return e / sum(e, -1, true);
}

inline Tensor log_softmax(const Tensor& x) {
  const Tensor shifted = x - max(x.detach(), -1, true);
  return shifted - log(sum(exp(shifted), -1, true));
}

inline Tensor variance(const Tensor& x, int axis, bool keep = false, int correction = 1) {
  const Tensor distance = x - mean(x, axis, true);
  const auto n = static_cast<double>(x.shape()[x.shape().axis("variance", axis)]);
  return sum(distance * distance, axis, keep) / std::max(0.0, n - correction);
}

inline Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         double epsilon = 1e-5) {
  const Tensor distance = x - mean(x, -1, true);
  const Tensor h = distance / sqrt(engine::variance(x, -1, true, 0) + epsilon);
  return bias ? h * weight + bias : h * weight;
}

inline Tensor rms_norm(const Tensor& x, const Tensor& weight, double epsilon = 1e-5) {
  return x / sqrt(mean(x * x, -1, true) + epsilon) * weight;
}

// rms_norm of each head of queries and of keys.
inline Tensor qk_norm(const Tensor& qkv, Heads heads, const Tensor& q_weight,
                      const Tensor& k_weight, double epsilon = 1e-5) {
  const auto [H, K] = heads;
  const Index D = q_weight.size(), rows = qkv.shape().rows();
  const auto normalized = [&](const Tensor& weight, Index begin, Index count) {
    const Tensor part = slice(qkv, -1, begin * D, (begin + count) * D);
    return composed::rms_norm(part.reshape(Shape{rows, count, D}), weight, epsilon)
        .reshape(part.shape());
  };
  return concat({normalized(q_weight, 0, H), normalized(k_weight, H, K),
                 slice(qkv, -1, (H + K) * D, qkv.shape().cols())},
                -1);
}

// Features i and i + D/2 of a head, turned by the angle of their position.
inline Tensor rope(const Tensor& x, const Tensor& angles, Index rotated, Index first = 0) {
  const Index T = x.shape().from_end(2), D = angles.shape()[1];
  const Tensor at = slice(angles, 0, first, first + T);
  const Tensor c = slice(at, 1, 0, D / 2), s = slice(at, 1, D / 2, D);
  std::vector<Tensor> parts;
  for (Index begin = 0; begin < rotated * D; begin += D) {
    const Tensor a = slice(x, -1, begin, begin + D / 2), b = slice(x, -1, begin + D / 2, begin + D);
    parts.push_back(a * c - b * s);
    parts.push_back(b * c + a * s);
  }
  if (rotated * D < x.shape().cols()) parts.push_back(slice(x, -1, rotated * D, x.shape().cols()));
  return concat(parts, -1);
}

inline Tensor swiglu(const Tensor& x) {
  const Index F = x.shape().cols() / 2;
  return silu(slice(x, -1, 0, F)) * slice(x, -1, F, 2 * F);
}

inline Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {}) {
  const Tensor y = matmul(x, transpose(weight));
  return bias ? y + bias : y;
}

inline Tensor feed_forward(const Tensor& x, Activation f, const Tensor& w1, const Tensor& b1,
                           const Tensor& w2, const Tensor& b2) {
  return engine::linear(activate(f, engine::linear(x, w1, b1)), w2, b2);
}

// Each row picks its target by a product with a row of zeros and a 1; the others are ignored.
inline Tensor cross_entropy(const Tensor& logits, std::span<const Id> targets) {
  const Index rows = logits.shape().rows(), cols = logits.shape().cols();
  Tensor chosen = Tensor::zeros({rows, cols});
  Index count = 0;
  for (Index r = 0; r < rows; ++r)
    if (const Id target = at(targets, r); target >= 0) {
      chosen.mutable_data()[r * cols + target] = 1;
      ++count;
    }
  const Tensor picked = chosen * engine::log_softmax(logits.reshape(Shape{rows, cols}));
  return sum(picked) * (-1.0 / static_cast<double>(count));
}

// softmax(scale Q K^T) V for each head.
inline Tensor self_attention(const Tensor& qkv, Heads heads, double p = 0,
                             Generator* generator = nullptr, const AttentionScores& scores = {}) {
  const Index H = heads.queries, K = heads.keys;
  const Index B = qkv.shape()[0], T = qkv.shape()[1], D = qkv.shape()[2] / (H + 2 * K);
  // (B, T, (H + 2K) D) -> (B, H, T, D), three times; keys and values repeated for their queries.
  const auto part = [&](Index first, Index count) {
    const Tensor x = slice(qkv, 2, first * D, (first + count) * D);
    const Tensor apart = permute(x.reshape(Shape{B, T, count, D}), {0, 2, 1, 3});
    if (count == H) return apart;
    return repeat(apart.reshape(Shape{B * count, 1, T, D}), {1, H / K, 1, 1})
        .reshape(Shape{B, H, T, D});
  };
  const Tensor query = part(0, H), key = part(H, K), value = part(H + K, K);
  Tensor scaled = matmul(query, transpose(key)) * static_cast<double>(scores.scale_of(D));
  if (scores.causal)
    scaled = masked_fill(scaled, causal_mask(T, T), -std::numeric_limits<real>::infinity());
  const Tensor weights = engine::softmax(scaled);
  const Tensor kept = p > 0 ? dropout(weights, p, *generator) : weights;
  return permute(matmul(kept, value), {0, 2, 1, 3}).reshape(Shape{B, T, H * D});
}

}  // namespace engine::composed
