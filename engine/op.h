// The ops of the library. (Ops of your own are recorded under a string.) An Op without a name in
// names_of does not compile. The lists of gradient and forward tests switch over Op without a
// default, under -Werror=switch: they do not compile if an op is missing.
#pragma once

#include "engine/base/names.h"

namespace engine {

// In the order of ops.h, then of attention.h.
// clang-format off
enum class Op {
  add, sub, mul, div, pow, neg,
  exp, log, sqrt, sin, cos, abs, tanh, sigmoid, relu, gelu, gelu_tanh, silu, relu2,
  where,
  sum, mean, variance, max,
  matmul, permute, concat, slice, repeat,
  masked_fill, softmax, log_softmax,
  layer_norm, rms_norm, swiglu,
  embedding, gather,
  linear, feed_forward, cross_entropy, dropout,
  qk_norm, rope, attention,
};
template <>
inline constexpr auto names_of<Op> = names(
  "add", "sub", "mul", "div", "pow", "neg",
  "exp", "log", "sqrt", "sin", "cos", "abs", "tanh", "sigmoid",
  "relu", "gelu", "gelu_tanh", "silu", "relu2",
  "where",
  "sum", "mean", "variance", "max",
  "matmul", "permute", "concat", "slice", "repeat",
  "masked_fill", "softmax", "log_softmax",
  "layer_norm", "rms_norm", "swiglu",
  "embedding", "gather",
  "linear", "feed_forward", "cross_entropy", "dropout",
  "qk_norm", "rope", "attention");
// clang-format on
inline constexpr int op_count = static_cast<int>(names_of<Op>.size());
static_assert(op_count == static_cast<int>(Op::attention) + 1, "a name for each op");

// The name under which a tape records an op: an Op, or the name of an op of your own, which must
// live as long as the program, as a string literal does.
class OpName {
 public:
  consteval OpName(Op op) : text_(name_of(op).data()) {}
  constexpr OpName(const char* own) : text_(own) {}
  constexpr const char* text() const { return text_; }

 private:
  const char* text_;
};

}  // namespace engine
