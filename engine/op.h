// The ops of the library; a tape also records others, by name. Recording an op that has no name
// does not compile. The lists of gradient and forward tests switch over Op without a default, under
// -Werror=switch: they do not compile if an op is missing.
#pragma once

#include <array>

#include "engine/base/index.h"

namespace engine {

// In the order of ops.h.
// clang-format off
enum class Op {
  add, sub, mul, div, pow, neg,
  exp, log, sqrt, sin, cos, abs, tanh, sigmoid, relu, gelu, gelu_tanh, silu, relu2,
  where,
  sum, mean, variance, max,
  matmul, permute, concat, slice, repeat,
  masked_fill, softmax, log_softmax,
  layer_norm, rms_norm, qk_norm, rope, swiglu,
  embedding, gather,
  linear, feed_forward, cross_entropy, dropout, attention,
};

// Their names, in the same order.
struct OpRow {
  Op op;
  const char* name;
};
inline constexpr auto op_rows = [] {
  using enum Op;
  return std::to_array<OpRow>({
    {add, "add"}, {sub, "sub"}, {mul, "mul"}, {div, "div"}, {pow, "pow"}, {neg, "neg"},
    {exp, "exp"}, {log, "log"}, {sqrt, "sqrt"}, {sin, "sin"}, {cos, "cos"}, {abs, "abs"},
    {tanh, "tanh"}, {sigmoid, "sigmoid"}, {relu, "relu"}, {gelu, "gelu"},
    {gelu_tanh, "gelu_tanh"}, {silu, "silu"}, {relu2, "relu2"},
    {where, "where"},
    {sum, "sum"}, {mean, "mean"}, {variance, "variance"}, {max, "max"},
    {matmul, "matmul"}, {permute, "permute"}, {concat, "concat"}, {slice, "slice"},
    {repeat, "repeat"},
    {masked_fill, "masked_fill"}, {softmax, "softmax"}, {log_softmax, "log_softmax"},
    {layer_norm, "layer_norm"}, {rms_norm, "rms_norm"}, {qk_norm, "qk_norm"}, {rope, "rope"},
    {swiglu, "swiglu"},
    {embedding, "embedding"}, {gather, "gather"},
    {linear, "linear"}, {feed_forward, "feed_forward"}, {cross_entropy, "cross_entropy"},
    {dropout, "dropout"}, {attention, "attention"},
  });
}();
// clang-format on
static_assert(in_order(op_rows, &OpRow::op));
inline constexpr int op_count = static_cast<int>(op_rows.size());
constexpr const char* name(Op op) { return at(op_rows, static_cast<Index>(op)).name; }

// The name under which a tape records an op: an Op, or the name of an op of your own, which must
// live as long as the program, as a string literal does.
class OpName {
 public:
  consteval OpName(Op op) : text_(name(op)) {}
  constexpr OpName(const char* own) : text_(own) {}
  constexpr const char* text() const { return text_; }

 private:
  const char* text_;
};

}  // namespace engine
