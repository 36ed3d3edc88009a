// The ops of the library; a tape also records others, by name. Recording an op that has no name
// does not compile. The lists of gradient and forward tests switch over Op without a default, under
// -Werror=switch: they do not compile if an op is missing.
#pragma once

#include <iterator>

namespace engine {

enum class Op {
  add,
  sub,
  mul,
  div,
  neg,
  pow,
  exp,
  log,
  sqrt,
  tanh,
  relu,
  gelu,
  gelu_tanh,
  sigmoid,
  silu,
  sum,
  mean,
  variance,
  max,
  matmul,
  permute,
  concat,
  slice,
  repeat,
  embedding,
  masked_fill,
  softmax,
  log_softmax,
  layer_norm,
  dropout,
  cross_entropy,
  linear,
  feed_forward,
  attention,
  sin,
  cos,
  abs,
  where,
  gather,
  relu2,
  swiglu,
  rms_norm,
  rope,
  qk_norm,
};

// The names of the ops, in the order of Op.
inline constexpr const char* op_names[] = {
    "add",           "sub",         "mul",          "div",         "neg",        "pow",
    "exp",           "log",         "sqrt",         "tanh",        "relu",       "gelu",
    "gelu_tanh",     "sigmoid",     "silu",         "sum",         "mean",       "variance",
    "max",           "matmul",      "permute",      "concat",      "slice",      "repeat",
    "embedding",     "masked_fill", "softmax",      "log_softmax", "layer_norm", "dropout",
    "cross_entropy", "linear",      "feed_forward", "attention",   "sin",        "cos",
    "abs",           "where",       "gather",       "relu2",       "swiglu",     "rms_norm",
    "rope",          "qk_norm"};
inline constexpr int op_count = static_cast<int>(std::size(op_names));
constexpr const char* name(Op op) { return op_names[static_cast<int>(op)]; }

// The name under which a tape records an op: of an Op, or of an op of your own. Such a name must
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
