#include "nn/module.h"

#include <algorithm>

namespace nn {

void FlatParameters::add(const std::string& name, const Tensor& tensor) {
  constexpr Index unit = 64 / sizeof(engine::real);
  entries_.push_back({name, tensor, size_});
  size_ += (tensor.size() + unit - 1) / unit * unit;
}

void FlatParameters::allocate() {
  values_ = Buffer(size_);
  gradients_ = Buffer(size_);
  std::fill_n(values_.data(), size_, engine::real(0));
  std::fill_n(gradients_.data(), size_, engine::real(0));
}

Tensor FlatParameters::place(Entry& entry) const {
  const Index size = entry.tensor.size();
  std::ranges::copy(entry.tensor.values(), values_.data() + entry.offset);
  entry.tensor = Tensor::on(values_.part(entry.offset, size), entry.tensor.shape());
  entry.tensor.require_gradient(gradients_.part(entry.offset, size));
  return entry.tensor;
}

engine::real* FlatParameters::gradients() const {
  for (const Entry& entry : entries_) entry.tensor.gradient().sum_or_zeros();
  return gradients_.data();
}

void FlatParameters::clear_gradients() const {
  for (const Entry& entry : entries_) entry.tensor.gradient().clear();
}

}  // namespace nn
