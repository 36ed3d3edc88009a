#include "nn/module.h"

#include <algorithm>
#include <utility>

namespace nn {

Reflector::Visit once_each(Reflector::Visit visit) {
  struct Seen {
    Tensor before;  // keeps its memory alive, so that no other parameter can get that address
    Tensor* now;
  };
  return [visit = std::move(visit), seen = std::vector<Seen>()](const std::string& name,
                                                                Tensor& t) mutable {
    const auto tied = std::ranges::find_if(
        seen, [&](const Seen& s) { return s.now == &t || s.before.data() == t.data(); });
    if (tied == seen.end()) {
      seen.push_back({t, &t});
      visit(name, t);
    } else if (tied->now->data() != t.data()) {
      t = tied->now->reshape(t.shape());
    }
  };
}

void FlatParameters::move_to_blocks() {
  Index size = 0;
  for (const NamedParameter& entry : entries_) size += padded(entry.tensor.size());
  values_ = Buffer(size);
  gradients_ = Buffer(size);
  std::fill_n(values_.data(), size, engine::real(0));
  std::fill_n(gradients_.data(), size, engine::real(0));
  Index begin = 0;
  for (auto& [name, tensor] : entries_) {
    const Tensor before = tensor;
    std::ranges::copy(before.values(), values_.data() + begin);
    tensor = Tensor::on(values_.part(begin, before.size()), before.shape());
    tensor.require_gradient(gradients_.part(begin, before.size()));
    begin += padded(before.size());
  }
}

engine::real* FlatParameters::values() const {
  for (const NamedParameter& entry : entries_) entry.tensor.mark_changed();
  return values_.data();
}

engine::real* FlatParameters::gradients() const {
  for (const NamedParameter& entry : entries_) (void)entry.tensor.gradient().data_or_zeros();
  return gradients_.data();
}

void FlatParameters::clear_gradients() const {
  for (const NamedParameter& entry : entries_) entry.tensor.gradient().clear();
}

}  // namespace nn
