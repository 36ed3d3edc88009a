#include "nn/optimizer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/storage.h"
#include "engine/kernels/reduce.h"

namespace nn {

std::vector<ParameterGroup> decay_matrices(const std::vector<Tensor>& parameters) {
  std::vector<ParameterGroup> groups;
  bool last = false;
  for (const Tensor& parameter : parameters) {
    const bool decays = parameter.shape().rank() >= 2;
    if (groups.empty() || decays != last) {
      groups.emplace_back();
      if (!decays) groups.back().weight_decay = 0;
    }
    groups.back().parameters.push_back(parameter);
    last = decays;
  }
  return groups;
}

double gradient_norm(std::span<const Tensor> parameters) {
  return gradient_norm(parameters, {0, std::ssize(parameters), {}});
}

double gradient_norm(std::span<const Tensor> parameters, const Own& own) {
  const engine::Scratch<std::span<const real>> arrays(std::ssize(parameters));
  std::span<const real>* end = arrays.begin();
  Index size = 0;
  for (Index i = 0; i < std::ssize(parameters); ++i) {
    const engine::Gradient gradient = engine::at(parameters, i).gradient();
    if (!gradient.written()) continue;
    const Index n = engine::at(parameters, i).size();
    const bool is_own = own.begin <= i && i < own.end;
    *end++ = {is_own ? gradient.value().data() : nullptr, engine::unsigned_size(n)};
    size += n;
  }
  const std::span<const std::span<const real>> all(arrays.begin(), end);
  const engine::Scratch<double> pieces(engine::kernels::piece_count(all));
  const std::span<double> sums(pieces.begin(), pieces.end());
  const auto sum = [&](double factor) {
    engine::kernels::parallel_sums_of_squares(all, factor, sums);
    if (own.gather) own.gather(sums);
    return engine::kernels::total(sums);
  };
  // Squares of floats above 1e19 or so overflow, and squares of floats below 1e-19 lose digits.
  // Where that matters, the gradients are scaled first.
  using Limits = std::numeric_limits<real>;
  const double squares = sum(1), least = static_cast<double>(Limits::min() / Limits::epsilon());
  if (std::isfinite(squares) && squares >= least * static_cast<double>(size))
    return std::sqrt(squares);
  const double factor = std::ldexp(1.0, (squares < 1 ? 3 : -3) * (Limits::max_exponent / 4));
  return std::sqrt(sum(factor)) / factor;
}

double clipping_factor(double norm, double max_norm) {
  return max_norm > 0 ? std::min(1.0, max_norm / (norm + 1e-6)) : 1;
}

namespace {

void check_parameters(const char* optimizer, const std::vector<Tensor>& parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    engine::check(static_cast<bool>(parameters[i].gradient()), optimizer, ": parameter ", i,
                  " of shape ", parameters[i].shape(),
                  " has no gradient; require_gradient() makes it a parameter");
  std::vector<std::size_t> by_place(parameters.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t(0));
  std::erase_if(by_place, [&](std::size_t i) { return parameters[i].size() == 0; });
  std::ranges::stable_sort(by_place, std::less<const real*>(),
                           [&](std::size_t i) { return parameters[i].data(); });
  for (std::size_t k = 1; k < by_place.size(); ++k) {
    const Tensor &a = parameters[by_place[k - 1]], &b = parameters[by_place[k]];
    engine::check(!std::less<const real*>()(b.data(), a.data() + a.size()), optimizer,
                  ": parameters of shapes ", a.shape(), " and ", b.shape(),
                  " share memory: numbers ", by_place[k - 1], " and ", by_place[k]);
  }
}

}  // namespace

Optimizer::Optimizer(const char* name, const std::vector<ParameterGroup>& groups,
                     double weight_decay, double grad_clip)
    : grad_clip_(grad_clip) {
  for (const ParameterGroup& group : groups)
    for (const Tensor& parameter : group.parameters) {
      parameters_.push_back(parameter);
      treatments_.push_back({.learning_rate = group.learning_rate,
                             .weight_decay = group.weight_decay.value_or(weight_decay)});
    }
  check_parameters(name, parameters_);
}

std::vector<Buffer> Optimizer::zeros() const {
  Index size = 0;
  for (const Tensor& parameter : parameters_) size += padded(parameter.size());
  const Buffer block(size);
  std::fill_n(block.data(), size, real(0));
  std::vector<Buffer> state;
  Index offset = 0;
  for (const Tensor& parameter : parameters_) {
    state.push_back(block.part(offset, parameter.size()));
    offset += padded(parameter.size());
  }
  return state;
}

double Optimizer::step(double lr) {
  const double norm = gradient_norm(parameters_);
  if (std::isfinite(norm)) apply(lr, clipping_factor(norm, grad_clip_));
  return norm;
}

}  // namespace nn
