// The reference's runs (tests/site/reference.py): each op on a few numbers, and its gradient for dy = 1, 2, ...
#include <sstream>
#include <vector>

#include "engine/attention.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "engine/tape.h"
#include "tests/book/live/live.h"

using namespace engine;

namespace {

const std::vector<Id> ids = {1, 0};

struct Run {
  const char *op, *text;
  Tensor x, (*f)(const Tensor&);
};
#define RUN(op, start, ...)                                                         \
  Run {                                                                             \
#op, #__VA_ARGS__, start, [](const Tensor& x) -> Tensor { return __VA_ARGS__; } \
  }
Tensor row() { return Tensor::of({1, 2, 3}); }
Tensor uneven() { return Tensor::of({1, 2, 5}); }
Tensor signs() { return Tensor::of({-2, 0.5, 3}); }
Tensor square() { return Tensor::of({{1, 2}, {3, 4}}); }

// "op: softmax", then four lines or more: x, the ids of a call that looks them up, the call, y, dx.
live::JsonObject answer(const live::Choices&) {
  const std::vector<Run> runs = {
      RUN(add, row(), x + 10),
      RUN(sub, row(), 10 - x),
      RUN(mul, row(), x * x),
      RUN(div, row(), 6 / x),
      RUN(pow, row(), pow(x, 2)),
      RUN(neg, row(), -x),
      RUN(exp, row(), exp(x)),
      RUN(log, row(), log(x)),
      RUN(sqrt, row(), sqrt(x)),
      RUN(sin, row(), sin(x)),
      RUN(cos, row(), cos(x)),
      RUN(abs, signs(), abs(x)),
      RUN(tanh, signs(), tanh(x)),
      RUN(sigmoid, signs(), sigmoid(x)),
      RUN(relu, signs(), relu(x)),
      RUN(gelu, signs(), gelu(x)),
      RUN(gelu_tanh, signs(), gelu_tanh(x)),
      RUN(silu, signs(), silu(x)),
      RUN(relu2, signs(), relu2(x)),
      RUN(where, row(), where(x > 1, x, 0)),
      RUN(clamp, row(), clamp(x, 1.5, 2.5)),
      RUN(sum, square(), sum(x, 0)),
      RUN(mean, square(), mean(x, 1)),
      RUN(variance, square(), variance(x, 1)),
      RUN(max, square(), max(x, 0)),
      RUN(min, square(), min(x, 1)),
      RUN(standard_deviation, square(), standard_deviation(x, 1)),
      RUN(mean_squared_error, row(), mean_squared_error(x, Tensor::of({1, 1, 1}))),
      RUN(matmul, square(), matmul(x, Tensor::of({{1, 0}, {1, 1}}))),
      RUN(permute, square(), permute(x, {1, 0})),
      RUN(transpose, square(), transpose(x)),
      RUN(concat, row(), concat({x, x}, 0)),
      RUN(stack, row(), stack({x, x})),
      RUN(slice, row(), slice(x, 0, 1, 3)),
      RUN(select, square(), select(x, 1, -1)),
      RUN(repeat, row(), repeat(x, {2})),
      RUN(broadcast_to, row(), broadcast_to(x, {2, 3})),
      RUN(masked_fill, square(), masked_fill(x, x > 2, 0)),
      RUN(tril, square(), tril(x)),
      RUN(softmax, row(), softmax(x)),
      RUN(log_softmax, row(), log_softmax(x)),
      RUN(layer_norm, uneven(), layer_norm(x, Tensor::ones({3}), {})),
      RUN(rms_norm, uneven(), rms_norm(x, Tensor::ones({3}))),
      RUN(rope, square(), rope(x, rope_angles(2, 2), 1)),
      RUN(swiglu, square(), swiglu(x)),
      RUN(embedding, square(), embedding(x, ids, {2})),
      RUN(gather, square(), gather(x, 1, ids, {2, 1})),
      RUN(linear, square(), linear(x, Tensor::of({{1, 0}, {1, 1}}))),
      RUN(feed_forward, square(),
          feed_forward(x, Activation::relu, Tensor::of({{1, 0}, {1, -1}}), {}, Tensor::of({{1, 2}}),
                       {})),
      RUN(cross_entropy, square(), cross_entropy(x, ids)),
      RUN(self_attention, Tensor::of({1, 2, 3}, {1, 1, 3, 0.5, 1, 6}), self_attention(x, 1))};
  std::ostringstream out;
  const auto line = [&](std::string_view label, const Tensor& values) {
    out << label;
    for (const char c : format(values))
      out << c << (c == '\n' ? std::string(label.size(), ' ') : "");
    out << "\n";
  };
  for (const Run& run : runs) {
    Tensor x = run.x;
    x.require_gradient();
    Tape tape;
    const Tensor y = run.f(x);
    tape.backward(y, (Tensor::arange(y.size()) + 1).reshape(y.shape()));
    out << "op: " << run.op << "\n";
    line("x = ", x);
    if (std::string_view(run.text).find("ids") != std::string_view::npos) out << "ids = {1, 0}\n";
    out << "y = " << run.text << "\n";
    line("y is ", y);
    line("dx is ", x.gradient().value());
  }
  return live::JsonObject().add("said", out.str());
}

const live::Figure figure(answer, "all=1");

}  // namespace
