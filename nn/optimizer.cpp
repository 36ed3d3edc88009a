#include "nn/optimizer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
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
  const auto sum = [&](double factor) {
    return engine::kernels::parallel_sum_of_squares({arrays.begin(), end}, factor, own.gather);
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

ParameterList::ParameterList(const char* optimizer, std::vector<ParameterGroup> groups, Unit unit)
    : groups_(std::move(groups)) {
  for (Index group = 0; group < std::ssize(groups_); ++group)
    for (const Tensor& parameter : engine::at(groups_, group).parameters)
      add(optimizer, group, parameter, unit);
  check_parameters(optimizer);
}

void ParameterList::add(const char* optimizer, Index group, const Tensor& parameter, Unit unit) {
  const Index number = std::ssize(tensors_);
  const auto place = [&](Index begin, Index size) {
    places_.push_back({group, number, begin, size_ + begin, size});
  };
  if (unit == Unit::piece) {
    constexpr Index max_piece = Index(1) << 15;  // 128 KiB of each array that an update reads
    for (Index begin = 0; begin < parameter.size(); begin += max_piece)
      place(begin, std::min(max_piece, parameter.size() - begin));
  } else {
    const engine::Shape& shape = parameter.shape();
    engine::check(shape.rank() == 2, optimizer, ": parameter ", number, " of shape ", shape,
                  " has ", shape.rank(), " axes, expected a matrix");
    std::vector<Index> parts = engine::at(groups_, group).parts;
    if (parts.empty()) parts = {shape[0]};
    Index rows = 0;
    for (const Index part : parts) {
      engine::check(part >= 0 && part <= shape[0] - rows, optimizer, ": parameter ", number,
                    " of shape ", shape, ": a part of ", engine::counted(part, "row"), ", but ",
                    engine::counted(shape[0] - rows, "row"), " left");
      place(rows * shape[1], part * shape[1]);
      rows += part;
    }
    engine::check(rows == shape[0], optimizer, ": parameter ", number, " of shape ", shape,
                  ": its parts have ", engine::counted(rows, "row"), " in all, expected ",
                  shape[0]);
  }
  tensors_.push_back(parameter);
  size_ += padded(parameter.size());
}

void ParameterList::check_parameters(const char* optimizer) const {
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    engine::check(static_cast<bool>(tensors_[i].gradient()), optimizer, ": parameter ", i,
                  " of shape ", tensors_[i].shape(),
                  " has no gradient; require_gradient() makes it a parameter");
  std::vector<std::size_t> by_place(tensors_.size());
  std::iota(by_place.begin(), by_place.end(), std::size_t(0));
  std::erase_if(by_place, [&](std::size_t i) { return tensors_[i].size() == 0; });
  std::ranges::stable_sort(by_place, std::less<const real*>(),
                           [&](std::size_t i) { return tensors_[i].data(); });
  for (std::size_t k = 1; k < by_place.size(); ++k) {
    const Tensor &a = tensors_[by_place[k - 1]], &b = tensors_[by_place[k]];
    engine::check(!std::less<const real*>()(b.data(), a.data() + a.size()), optimizer,
                  ": parameters of shapes ", a.shape(), " and ", b.shape(),
                  " share memory: numbers ", by_place[k - 1], " and ", by_place[k]);
  }
}

Buffer ParameterList::zeros() const {
  Buffer block(size_);
  std::fill_n(block.data(), size_, real(0));
  return block;
}

void ParameterList::find(Memory* memory) const {
  for (const Tensor& parameter : tensors_) {
    if (!parameter.gradient().written()) {
      *memory++ = {};
      continue;
    }
    real* const p = parameter.mutable_data();
    *memory++ = {p, parameter.gradient().destination().data};
  }
}

void ParameterList::clear_gradients() const {
  for (const Tensor& parameter : tensors_) parameter.gradient().clear();
}

double Optimizer::step(double lr) {
  const double norm = gradient_norm(parameters_.tensors());
  if (std::isfinite(norm)) apply(lr, clipping_factor(norm, grad_clip_));
  return norm;
}

}  // namespace nn
