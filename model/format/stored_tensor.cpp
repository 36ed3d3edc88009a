#include "model/format/stored_tensor.h"

#include <algorithm>
#include <set>
#include <span>
#include <type_traits>

#include "engine/base/storage.h"

namespace model {

using engine::Buffer;
using engine::real;

namespace {

// Calls visit(ours, theirs, n) for runs of n elements that are neighbors in both: the index of the
// first in the parameter and in the file. In a transposed tensor n is 1.
template <class Visit>
void for_each_run(const StoredTensor& tensor, Visit visit) {
  const Index cols = tensor.parameter.shape().rank() == 2 ? tensor.parameter.shape()[1] : 1;
  const Index rows = tensor.count() / cols, begin = tensor.first_row * cols;
  if (tensor.transposed) {
    for (Index col = 0; col < cols; ++col)
      for (Index row = 0; row < rows; ++row) visit(begin + row * cols + col, col * rows + row, 1);
  } else if (tensor.interleaved_heads > 0) {
    const Index D = rows / tensor.interleaved_heads;
    for (Index row = 0; row < rows; ++row) {
      const Index head = row / D * D, feature = row % D;
      const Index theirs = head + feature % (D / 2) * 2 + feature / (D / 2);
      visit(begin + row * cols, theirs * cols, cols);
    }
  } else {
    visit(begin, Index(0), tensor.count());
  }
}

// For a tensor in our layout: the index of its first element in the parameter.
Index first_element(const StoredTensor& tensor) {
  return tensor.first_row == 0 ? 0 : tensor.first_row * (tensor.count() / tensor.shape[0]);
}

void set_values(const StoredTensor& to, const TensorEntry& from) {
  const std::size_t count = unsigned_size(to.count());
  if (to.is_plain()) {
    const std::size_t first = unsigned_size(first_element(to));
    return copy_values(from, to.parameter.mutable_values().subspan(first, count));
  }
  const Buffer memory(to.count());
  const std::span<real> values(memory.data(), count);
  copy_values(from, values);
  if (!to.parameter) {
    const auto other = std::ranges::find_if(values, [](real value) { return value != 0; });
    check(other == values.end(), titled(from.name), ": element ", other - values.begin(), " is ",
          other == values.end() ? real(0) : *other,
          ", but the file says that the model has no biases");
    return;
  }
  for_each_run(to, [&](Index ours, Index theirs, Index n) {
    std::copy_n(values.data() + theirs, n, to.parameter.mutable_data() + ours);
  });
}

}  // namespace

Index StoredTensor::count() const {
  Index count = 1;
  for (const Index n : shape) count *= n;
  return count;
}

std::vector<StoredTensor> stored(const std::vector<nn::NamedParameter>& parameters) {
  std::vector<StoredTensor> tensors;
  for (const nn::NamedParameter& p : parameters) {
    const auto sizes = p.tensor.shape().sizes();
    tensors.push_back({p.name, {sizes.begin(), sizes.end()}, p.tensor});
  }
  return tensors;
}

void copy_values(const StoredTensor& from, std::span<real> to) {
  if (!from.parameter) {
    std::ranges::fill(to, real(0));
    return;
  }
  for_each_run(from, [&](Index ours, Index theirs, Index n) {
    std::copy_n(from.parameter.data() + ours, n, to.data() + theirs);
  });
}

std::string_view bytes_of(const StoredTensor& tensor, Dtype dtype, std::deque<FileBytes>& memory) {
  const Index count = tensor.count();
  const bool plain = tensor.is_plain();
  const Buffer copied(plain ? 0 : count);
  if (!plain) copy_values(tensor, {copied.data(), unsigned_size(count)});
  const std::span<const real> values(
      plain ? tensor.parameter.data() + first_element(tensor) : copied.data(),
      unsigned_size(count));
  if (plain && dtype == Dtype::f32 && std::is_same_v<real, float>)
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  FileBytes& bytes = memory.emplace_back();
  bytes.resize(unsigned_size(bytes_of(tensor.name, tensor.shape, dtype).value()));
  encode(tensor.name, dtype, values, bytes);
  return view(bytes);
}

void check_names(const std::vector<StoredTensor>& tensors, const TensorSet& from,
                 std::string_view whole) {
  std::set<std::string_view> known;
  for (const StoredTensor& tensor : tensors) {
    known.insert(tensor.name);
    check(from.find(tensor.name) != nullptr || !tensor.parameter, titled(tensor.name),
          " is missing");
  }
  for (const TensorEntry& entry : from.entries())
    check(known.contains(entry.name), titled(entry.name), " is not part of ", whole);
}

void fill(const std::vector<StoredTensor>& tensors, const TensorSet& from, std::string_view whole) {
  check_names(tensors, from, whole);
  for (const StoredTensor& tensor : tensors)
    if (const TensorEntry* const entry = from.find(tensor.name))
      check(entry->shape == tensor.shape, titled(tensor.name), " has shape ",
            shape_text(entry->shape), ", expected ", shape_text(tensor.shape));
  for (const StoredTensor& tensor : tensors)
    if (const TensorEntry* const entry = from.find(tensor.name)) set_values(tensor, *entry);
}

}  // namespace model
