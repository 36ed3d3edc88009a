#include "engine/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/random/generator.h"
#include "engine/tape.h"

namespace engine {
namespace gradient_check {
namespace {

constexpr double h = sizeof(real) == 8 ? 0x1p-10 : 0x1p-6;

// Records which ops ran backward.
struct Seen final : Tape::Observer {
  std::vector<std::string_view> ops;
  void recorded(const char*, const Gradient&, std::span<const Gradient>) override {}
  void ran_backward(const char* op, const Gradient&, const Tensor&) override { ops.push_back(op); }
};

Tensor noise(const Shape& shape, std::uint64_t seed) {
  Tensor x = Tensor::uninitialized(shape);
  Generator(seed).uniform(x.mutable_values(), -1, 1);
  return x;
}

// sum_j v_j dy_j/dt at t = 0, where `move(t)` moves the inputs; they move back even if f throws.
template <class Move>
Slope slope(const std::function<Tensor()>& f, const Tensor& v, Move move) {
  struct Back {
    Move& move;
    ~Back() { move(0); }
  } back{move};
  const Tape::Pause no_recording;
  const auto at = [&](double t) {
    move(t);
    return f();
  };
  const Tensor far_left = at(-2 * h), left = at(-h), right = at(h), far_right = at(2 * h);
  double sum = 0, squares = 0;
  for (std::size_t j = 0; j < v.values().size(); ++j) {
    const double near = double(right.values()[j]) - double(left.values()[j]);
    const double far = double(far_right.values()[j]) - double(far_left.values()[j]);
    const double weight = double(v.values()[j]), y = double(right.values()[j]);
    sum += weight * (8 * near - far) / (12 * h);
    // An output that seems unmoved may have moved by less than its rounding: a slope of eps y / h.
    const double part = near != 0 || far != 0 ? 1 : std::numeric_limits<real>::epsilon() / h;
    squares += weight * weight * y * y * part * part;
  }
  return {sum, std::sqrt(squares)};
}

}  // namespace

Tensor weights_like(const Tensor& y) { return noise(y.shape(), 99); }

Backward run_backward(const std::function<Tensor()>& f, std::span<const Tensor> inputs,
                      bool prefilled) {
  for (const Tensor& x : inputs) {
    x.gradient().clear();
    if (prefilled) x.gradient().accumulate(noise(x.shape(), 7));
  }
  Backward result;
  Seen seen;
  Tape tape;
  tape.observe(&seen);
  result.y = f();
  tape.backward(result.y, weights_like(result.y));
  result.ops = std::move(seen.ops);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& x = inputs[k];
    if (!x.gradient().written()) result.complaint = joined("input ", k + 1, " got no gradient");
    const Tensor g = x.gradient().value(), before = noise(x.shape(), 7);
    for (std::size_t i = 0; i < g.values().size(); ++i)
      result.gradient.push_back(double(g.values()[i]) -
                                (prefilled ? double(before.values()[i]) : 0));
    x.gradient().clear();
  }
  return result;
}

std::vector<Slope> slopes(const std::function<Tensor()>& f, std::span<const Tensor> inputs,
                          const Tensor& v) {
  std::vector<Slope> slopes;
  for (const Tensor& x : inputs)
    for (real& value : x.mutable_values())
      slopes.push_back(slope(
          f, v, [&, middle = value](double t) { value = static_cast<real>(double(middle) + t); }));
  return slopes;
}

double slope_along(const std::function<Tensor()>& f, std::span<const Tensor> inputs,
                   const Tensor& v, std::span<const double> u) {
  std::vector<double> middle;
  for (const Tensor& x : inputs)
    for (const real value : x.values()) middle.push_back(double(value));
  return slope(f, v,
               [&](double t) {
                 std::size_t i = 0;
                 for (const Tensor& x : inputs)
                   for (real& value : x.mutable_values()) {
                     value = static_cast<real>(middle[i] + t * u[i]);
                     ++i;
                   }
               })
      .value;
}

std::string index_text(const Shape& shape, Index element) {
  std::string index;
  for (int axis = 0; axis < shape.rank(); ++axis)
    index +=
        joined(axis > 0 ? ", " : "", element / shape.product(axis + 1, shape.rank()) % shape[axis]);
  return "[" + index + "]";
}

std::string element_name(std::span<const Tensor> inputs, std::size_t element) {
  std::size_t k = 0;
  while (element >= inputs[k].values().size()) element -= inputs[k++].values().size();
  return joined("x", k + 1, index_text(inputs[k].shape(), static_cast<Index>(element)));
}

}  // namespace gradient_check

double check_gradient(const std::function<Tensor()>& f, const std::vector<Tensor>& inputs) {
  using namespace gradient_check;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    check(static_cast<bool>(inputs[k].gradient()), "check_gradient: input ", k + 1, " of shape ",
          inputs[k].shape(), " has no gradient slot; require_gradient() gives it one");
  const Backward plain = run_backward(f, inputs, false), added = run_backward(f, inputs, true);
  const std::string_view name = plain.ops.front();
  if (!plain.complaint.empty()) fail(name, ": ", plain.complaint);
  const std::vector<Slope> numeric = slopes(f, inputs, weights_like(plain.y));
  const double allowed = std::sqrt(double(std::numeric_limits<real>::epsilon()));
  double worst = 0;
  for (std::size_t i = 0; i < numeric.size(); ++i)
    for (const Backward* const backward : {&plain, &added}) {
      const double a = backward->gradient[i], b = numeric[i].value;
      // The numbers that a slot held before have size 1, and are rounded with the sum.
      const double size =
          std::max({std::abs(a), std::abs(b), numeric[i].size, backward == &added ? 1.0 : 0.0});
      const double error = a == b ? 0 : std::abs(a - b) / size;
      if (!(error <= allowed))
        fail(name, ": d", element_name(inputs, i), " is ", a,
             backward == &added ? " when added to what the slot held, by differences "
                                : ", by differences ",
             b);
      worst = std::max(worst, error);
    }
  return worst;
}

}  // namespace engine
