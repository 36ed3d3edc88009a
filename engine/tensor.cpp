#include "engine/tensor.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/broadcast.h"
#include "engine/kernels/elementwise.h"
#include "engine/random/generator.h"

namespace engine {

using kernels::Vec;
using kernels::Write;

Tensor::Tensor(const Tensor&) noexcept = default;
Tensor::Tensor(Tensor&& x) noexcept
    : shape_(std::exchange(x.shape_, Shape::none())),
      values_(std::move(x.values_)),
      slot_(std::move(x.slot_)) {}
Tensor& Tensor::operator=(const Tensor&) & noexcept = default;
Tensor& Tensor::operator=(Tensor&& x) & noexcept {
  shape_ = std::exchange(x.shape_, Shape::none());
  values_ = std::move(x.values_);
  slot_ = std::move(x.slot_);
  return *this;
}
Tensor::~Tensor() = default;

Tensor::Tensor(double value) : Tensor(uninitialized({})) {
  mutable_data()[0] = static_cast<real>(value);
}

Tensor Tensor::uninitialized(const Shape& shape) { return on(Buffer(shape.size()), shape); }

Tensor Tensor::full(const Shape& shape, real value) {
  Tensor tensor = uninitialized(shape);
  std::ranges::fill(tensor.mutable_values(), value);
  return tensor;
}

namespace {

template <class Values>
Tensor filled(const Shape& shape, const Values& values) {
  check(std::ssize(values) == shape.size(), "tensor: shape ", shape, " has ",
        counted(shape.size(), "element"), " for ", counted(std::ssize(values), "value"));
  Tensor tensor = Tensor::uninitialized(shape);
  std::ranges::transform(values, tensor.mutable_data(),
                         [](auto value) { return static_cast<real>(value); });
  return tensor;
}

}  // namespace

Tensor Tensor::of(const Shape& shape, std::span<const real> values) {
  return filled(shape, values);
}

Tensor Tensor::of(const Shape& shape, std::initializer_list<double> values) {
  return filled(shape, values);
}

Tensor Tensor::of(std::initializer_list<Number> values) {
  return filled({std::ssize(values)}, values);
}

Tensor Tensor::of(std::initializer_list<std::initializer_list<double>> rows) {
  const Index cols = rows.size() == 0 ? 0 : std::ssize(*rows.begin());
  std::vector<real> values;
  for (const auto& row : rows) {
    check(std::ssize(row) == cols, "tensor: a row of ", counted(std::ssize(row), "value"),
          " among rows of ", cols);
    for (const double value : row) values.push_back(static_cast<real>(value));
  }
  return filled({std::ssize(rows), cols}, values);
}

Tensor Tensor::arange(Index n) {
  Tensor tensor = uninitialized({n});
  real* const values = tensor.mutable_data();
  for (Index i = 0; i < n; ++i) values[i] = static_cast<real>(i);
  return tensor;
}

Tensor Tensor::rand(const Shape& shape, Generator& generator) {
  Tensor tensor = uninitialized(shape);
  generator.uniform(tensor.mutable_values(), 0, 1);
  return tensor;
}

Tensor Tensor::randn(const Shape& shape, Generator& generator) {
  Tensor tensor = uninitialized(shape);
  generator.normal(tensor.mutable_values(), 0, 1);
  return tensor;
}

Tensor Tensor::on(Buffer values, const Shape& shape) {
  check(values.size() == shape.size(), "tensor: shape ", shape, " needs ",
        counted(shape.size(), "element"), ", the buffer has ", values.size());
  Tensor tensor;
  tensor.shape_ = shape;
  tensor.values_ = std::move(values);
  return tensor;
}

real Tensor::item() const {
  check(size() == 1 && *this, "item: a tensor of shape ", shape_, " has ",
        counted(size(), "element"), ", not 1");
  return data()[0];
}

Index Tensor::offset(const char* method, std::initializer_list<Index> index) const {
  check(static_cast<int>(index.size()) == shape_.rank(), method, ": shape ", shape_, " has ",
        counted(shape_.rank(), "axis", "axes"), " for ",
        counted(std::ssize(index), "index", "indices"));
  Index offset = 0;
  int axis = 0;
  for (const Index i : index) {
    check(0 <= i && i < shape_[axis], method, ": index ", i, " is not within [0, ", shape_[axis],
          "), axis ", axis, " of shape ", shape_);
    offset = offset * shape_[axis++] + i;
  }
  return offset;
}

real Tensor::at(std::initializer_list<Index> index) const { return data()[offset("at", index)]; }

void Tensor::set(std::initializer_list<Index> index, double value) const {
  mutable_data()[offset("set", index)] = static_cast<real>(value);
}

kernels::MatrixView Tensor::matrix() const {
  return kernels::matrix(data(), shape_.rows(), shape_.cols());
}

kernels::MutableMatrixView Tensor::mutable_matrix() const {
  return kernels::matrix(mutable_data(), shape_.rows(), shape_.cols());
}

Tensor Tensor::reshape(const Shape& shape) const {
  check(shape.size() == shape_.size(), "reshape: shape ", shape_, " has ",
        counted(shape_.size(), "element"), " but ", shape, " has ", shape.size());
  Tensor view = *this;
  view.shape_ = shape;
  return view;
}

Tensor Tensor::reshape(std::initializer_list<Index> sizes) const {
  const auto open = std::ranges::find(sizes, -1);
  if (open == sizes.end()) return reshape(Shape(sizes));
  std::array<Index, Shape::max_rank> filled{};
  check(sizes.size() <= filled.size(), "reshape: ", sizes.size(), " axes, at most ", filled.size());
  std::ranges::copy(sizes, filled.begin());
  Index& missing = engine::at(filled, open - sizes.begin());
  missing = 1;
  check(std::ranges::find(open + 1, sizes.end(), -1) == sizes.end(),
        "reshape: more than one size is -1");
  const Index others = Shape(std::span(filled).first(sizes.size())).size();
  check(others > 0 && size() % others == 0, "reshape: ", counted(size(), "element"), " of shape ",
        shape_, " cannot be divided by ", others);
  missing = size() / others;
  return reshape(Shape(std::span(filled).first(sizes.size())));
}

Tensor Tensor::detach() const { return on(values_, shape_); }

Tensor Tensor::clone() const { return of(shape_, values()); }

void Tensor::assign(const Tensor& x) const {
  check(x.shape_ == shape_, "assign: shape ", x.shape_, " to a tensor of shape ", shape_);
  std::ranges::copy(x.values(), mutable_data());
}

Tensor& Tensor::require_gradient(Buffer memory) {
  check(!memory || memory.size() == size(), "require_gradient: ", counted(memory.size(), "element"),
        " of memory for shape ", shape_);
  check(!memory || !slot_, "require_gradient: memory for the gradient of shape ", shape_,
        ", which has a slot already");
  if (slot_) return *this;
  slot_ = std::allocate_shared<GradientSlot>(PoolAllocator<GradientSlot>());
  slot_->fixed = static_cast<bool>(memory);
  slot_->values = std::move(memory);
  return *this;
}

Gradient Tensor::gradient() const { return {shape_, slot_}; }

// --- Gradient ----------------------------------------------------------------------------------

Tensor Gradient::value() const {
  check(slot_ != nullptr,
        "gradient: this tensor has none; require_gradient() makes it a parameter");
  return slot_->written ? Tensor::on(slot_->values, shape_) : Tensor::zeros(shape_);
}

void Gradient::clear() const {
  if (!slot_) return;
  slot_->written = false;
  if (!slot_->fixed) slot_->values = {};
}

void Gradient::check_unchanged(const char* role) const {
  check(version_ == slot_->version, role, " of shape ", shape_,
        " was changed in place between forward and backward: change it after backward, or give the "
        "op a clone()");
}

void Gradient::check_input() const {
  check(slot_ != nullptr, "gradient: this tensor has none; test `if (dx)` before you write to it");
  check_unchanged("an input");
  check(slot_->leaf || slot_->tape != nullptr, "the ops that led to an input of shape ", shape_,
        " are gone: a backward pass or the end of their tape has freed them; compute it again, or "
        "detach() it, so that gradients stop there");
}

// Adds a contribution to the slot, without a copy if nothing else uses its memory. (A Buffer is a
// shared_ptr; unshared: its use_count is 1.) Two slots may share one buffer: y = a + b hands the
// same dy to both inputs. So
// - the first contribution to the slot of a result: the slot takes over its buffer, shared or not;
// - to a leaf's slot: only if it is unshared, since a leaf's sum outlives backward, and its reader
//   may change it; else, and if the slot's memory is fixed, the contribution is copied;
// - each further contribution is added in place if the slot's buffer is unshared, and else the sum
//   goes into new memory: the other slot still needs the old one.
// E.g. y = a + a, with a leaf a: dy is copied first, as the tape holds it too, and then added.
void Gradient::accumulate(Tensor contribution) const {
  check_input();
  for (int i = 1; i <= Shape::max_rank; ++i)
    check(shape_.from_end(i) == 1 || shape_.from_end(i) == contribution.shape().from_end(i),
          "gradient: a contribution of shape ", contribution.shape(),
          " does not fit a tensor of shape ", shape_);
  contribution = sum_to(std::move(contribution), shape_);
  Buffer& values = slot_->values;
  if (!slot_->written && !slot_->fixed && (!slot_->leaf || contribution.buffer().unshared())) {
    values = contribution.buffer();
  } else if (!slot_->written) {
    own_memory();
    std::ranges::copy(contribution.values(), values.data());
  } else {
    // If shared, old + contribution goes straight into new memory, without a copy before the sum.
    const bool shared = !slot_->fixed && !values.unshared();
    const Buffer old = values;
    if (shared) values = Buffer(old.size());
    kernels::parallel_map(
        old.size(), values.data(), Write::overwrite, [](Vec a, Vec b) { return a + b; }, old.data(),
        contribution.data());
  }
  slot_->written = true;
}

GradientDestination Gradient::destination() const {
  check_input();
  own_memory();
  const Write write = slot_->written ? Write::add : Write::overwrite;
  slot_->written = true;
  return {slot_->values.data(), write};
}

real* Gradient::data_or_zeros() const {
  const GradientDestination out = destination();
  if (out.write == Write::overwrite) std::fill_n(out.data, shape_.size(), real(0));
  return out.data;
}

void Gradient::own_memory() const {
  Buffer& values = slot_->values;
  if (slot_->fixed || (values && values.unshared())) return;
  const Buffer old = values;
  values = Buffer(shape_.size());
  if (slot_->written) std::copy_n(old.data(), old.size(), values.data());
}

}  // namespace engine
