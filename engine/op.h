// The ops of the library; a tape also records others, by name. name() and the lists of gradient and
// forward tests switch over Op without a default, under -Werror=switch: an op missing in one of
// them does not compile.
#pragma once

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
constexpr const char* name(Op op) {
  switch (op) {
    case Op::add: return "add";
    case Op::sub: return "sub";
    case Op::mul: return "mul";
    case Op::div: return "div";
    case Op::neg: return "neg";
    case Op::pow: return "pow";
    case Op::exp: return "exp";
    case Op::log: return "log";
    case Op::sqrt: return "sqrt";
    case Op::tanh: return "tanh";
    case Op::relu: return "relu";
    case Op::gelu: return "gelu";
    case Op::gelu_tanh: return "gelu_tanh";
    case Op::sigmoid: return "sigmoid";
    case Op::silu: return "silu";
    case Op::sum: return "sum";
    case Op::mean: return "mean";
    case Op::variance: return "variance";
    case Op::max: return "max";
    case Op::matmul: return "matmul";
    case Op::permute: return "permute";
    case Op::concat: return "concat";
    case Op::slice: return "slice";
    case Op::repeat: return "repeat";
    case Op::embedding: return "embedding";
    case Op::masked_fill: return "masked_fill";
    case Op::softmax: return "softmax";
    case Op::log_softmax: return "log_softmax";
    case Op::layer_norm: return "layer_norm";
    case Op::dropout: return "dropout";
    case Op::cross_entropy: return "cross_entropy";
    case Op::linear: return "linear";
    case Op::feed_forward: return "feed_forward";
    case Op::attention: return "attention";
    case Op::sin: return "sin";
    case Op::cos: return "cos";
    case Op::abs: return "abs";
    case Op::where: return "where";
    case Op::gather: return "gather";
    case Op::relu2: return "relu2";
    case Op::swiglu: return "swiglu";
    case Op::rms_norm: return "rms_norm";
    case Op::rope: return "rope";
    case Op::qk_norm: return "qk_norm";
  }
  return nullptr;
}

// The number of ops: values of Op that have a name.
inline constexpr int op_count = [] {
  int count = 0;
  while (name(static_cast<Op>(count)) != nullptr) ++count;
  return count;
}();

// The name under which a tape records an op: of the catalogue above, or of an op of one's own,
// whose name must live as long as the program, as a string literal does.
class OpName {
 public:
  constexpr OpName(Op op) : text_(name(op)) {}
  constexpr OpName(const char* own) : text_(own) {}
  constexpr const char* text() const { return text_; }

 private:
  const char* text_;
};

}  // namespace engine
