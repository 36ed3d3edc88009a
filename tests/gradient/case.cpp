#include "tests/gradient/case.h"

#include "engine/base/check.h"

namespace gradient {

using engine::real;

Case op_case(const std::vector<Tensor>& inputs, const std::string& remark, Function f,
             Function composed) {
  std::string what;
  for (const Tensor& x : inputs) what += (what.empty() ? "" : " ") + engine::joined(x.shape());
  if (!remark.empty()) what += ", " + remark;
  return {what, inputs, std::move(f), std::move(composed)};
}

Tensor Maker::uniform(const Shape& shape, double low, double high) {
  Tensor x = Tensor::uninitialized(shape);
  generator_.uniform(x.mutable_values(), low, high);
  return x.require_gradient();
}

Tensor Maker::away_from_zero(const Shape& shape) {
  Tensor x = uniform(shape, 0.25, 1.5);
  for (real& value : x.mutable_values())
    if (generator_.random32() & 1) value = -value;
  return x;
}

Tensor Maker::distinct(const Shape& shape) {
  Tensor x = Tensor::uninitialized(shape);
  const std::span<real> values = x.mutable_values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (static_cast<real>(i) - static_cast<real>(values.size() / 2)) / 16;
    std::swap(values[i], values[generator_.random32() % (i + 1)]);
  }
  return x.require_gradient();
}

std::vector<engine::Id> Maker::ids(Index count, Index below) {
  std::vector<engine::Id> drawn(static_cast<std::size_t>(count));
  generator_.randint(drawn, 0, below);
  return drawn;
}

}  // namespace gradient
