// The ops of the library; a tape also records others, by name. An op without a name does not compile
// where it is recorded. The lists of gradient and forward tests switch over Op without a default,
// under -Werror=switch: an op missing in one of them does not compile either.
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

// Their names, in the same order.
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

// The name under which a tape records an op: of the catalogue above, or of an op of one's own,
// whose name must live as long as the program, as a string literal does.
class OpName {
 public:
  consteval OpName(Op op) : text_(name(op)) {}
  constexpr OpName(const char* own) : text_(own) {}
  constexpr const char* text() const { return text_; }

 private:
  const char* text_;
};

}  // namespace engine
