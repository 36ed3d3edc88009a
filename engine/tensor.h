// Tensor: a cheap handle {shape, values, gradient slot}. Dense, row-major, up to four axes.
// Copies share values and slot, as in PyTorch; reshape is a handle of another shape on the same
// values and the same slot, so it costs nothing and needs no derivative of its own.
//
// Gradient: the handle to the slot where d loss / d x is summed. A parameter has a slot; a result
// that a tape recorded has one; data has none, and a backward pass asks `if (dx)`.
//
// The values of a tensor with a slot must not change between forward and backward: mutable_data,
// mutable_values, mutable_matrix and assign count changes, and a backward pass throws where it comes
// to an op whose input or result has changed. PyTorch throws only where the op's derivative needs
// the values. Not detected: changes of a tensor without a slot, which is data, x.detach() or a
// handle copied before require_gradient.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>

#include "engine/base/shape.h"
#include "engine/base/storage.h"
#include "engine/kernels/matrix_view.h"
#include "engine/kernels/write.h"

namespace engine {

class Generator;
class Gradient;
class Tape;

// Where a gradient is summed. It takes memory at its first write, which overwrites; later writes
// add. So nothing is ever set to zero in a pass of its own.
struct GradientSlot {
  Buffer values;               // empty until the first write, unless it was given
  const Tape* tape = nullptr;  // that holds the op whose result this is; null once the op is gone
  std::uint32_t version = 0;   // counts the changes of the tensor's values in place
  bool leaf = true;            // made by require_gradient, not an op's result
  bool written = false;
  bool fixed = false;  // the memory was given to require_gradient: the sum has to be there
};

class Tensor {
 public:
  Tensor() = default;    // no tensor: an absent bias, say
  Tensor(double value);  // a scalar, shape (); implicit, so that x * 0.5 reads as it should
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & = default;
  // x[0] = 5 does not compile: x[0] is a copy, x would stay as it is. Write x.mutable_data()[0] = 5.
  void operator=(const Tensor&) && = delete;

  static Tensor uninitialized(const Shape& shape);
  static Tensor zeros(const Shape& shape) { return full(shape, 0); }
  static Tensor ones(const Shape& shape) { return full(shape, 1); }
  static Tensor full(const Shape& shape, real value);
  static Tensor of(const Shape& shape, std::span<const real> values);
  static Tensor of(const Shape& shape, std::initializer_list<double> values);
  // A vector, of({1, 2, 3}); a matrix, of({{1, 2}, {3, 4}}), whose rows must be equally long.
  static Tensor of(std::initializer_list<double> values);
  static Tensor of(std::initializer_list<std::initializer_list<double>> rows);
  // 0, 1, ..., n - 1
  static Tensor arange(Index n);
  // Uniform in [0, 1), and standard normal: the numbers of torch.rand and torch.randn.
  static Tensor rand(const Shape& shape, Generator& generator);
  static Tensor randn(const Shape& shape, Generator& generator);
  // A handle on values that exist, e.g. a part of a model's one block; sizes must agree.
  static Tensor on(Buffer values, const Shape& shape);

  explicit operator bool() const { return static_cast<bool>(values_); }
  const Shape& shape() const { return shape_; }
  Index size() const { return values_.size(); }
  const real* data() const { return values_.data(); }
  // A handle: const says nothing of values. For writing: counts as a change in place.
  real* mutable_data() const {
    mark_changed();
    return values_.data();
  }
  std::span<const real> values() const& { return {data(), static_cast<std::size_t>(size())}; }
  std::span<real> mutable_values() const& {
    return {mutable_data(), static_cast<std::size_t>(size())};
  }
  // A loop over f(x).values() would outlive what it goes through: give the result a name.
  void values() const&& = delete;
  void mutable_values() const&& = delete;
  const Buffer& buffer() const { return values_; }
  real item() const;                                  // of a tensor with one element
  real at(std::initializer_list<Index> index) const;  // one element, checked
  kernels::MatrixView matrix() const;                 // (rows, cols), see Shape
  kernels::MutableMatrixView mutable_matrix() const;

  // The slice at `index` of the first axis: select(*this, 0, index).
  Tensor operator[](Index index) const;
  // The same elements in another shape. One size may be -1: what is left for it.
  Tensor reshape(const Shape& shape) const;
  Tensor reshape(std::initializer_list<Index> sizes) const;
  // The same values without the slot: gradients stop here.
  Tensor detach() const;
  // New values, equal to these, without a slot.
  Tensor clone() const;
  // Overwrites these values, a parameter's say, by those of a tensor of the same shape. Not
  // recorded.
  void assign(const Tensor& x) const;
  // Counts a change in place that was made through other handles on the same memory.
  void mark_changed() const {
    if (slot_) ++slot_->version;
  }

  // Makes this a leaf (a parameter) with a new slot: backward sums its gradient, which stays until
  // cleared. Handles copied before share the values but not the slot: an op that is given one of
  // them takes it for data. `memory`, if given, is where the sum is kept (size() elements).
  // Returns *this.
  Tensor& require_gradient(Buffer memory = {});
  Gradient gradient() const;

 private:
  friend class Tape;
  Shape shape_ = {0};  // of no tensor: so that an op that is given one by mistake finds no element
  Buffer values_;
  std::shared_ptr<GradientSlot> slot_;
};

// As PyTorch prints it; print.h has the options.
std::ostream& operator<<(std::ostream& out, const Tensor& x);

// Writable memory of a gradient, and whether to overwrite it or to add to it.
struct Sum {
  real* data;
  kernels::Write write;
};

class Gradient {
 public:
  Gradient() = default;
  Gradient(const Shape& shape, std::shared_ptr<GradientSlot> slot)
      : shape_(shape), slot_(std::move(slot)), version_(slot_ ? slot_->version : 0) {}

  explicit operator bool() const { return slot_ != nullptr; }
  const Shape& shape() const { return shape_; }
  bool written() const { return slot_ && slot_->written; }
  // What has been summed so far; zeros if nothing has. Shares memory with the slot.
  Tensor value() const;
  // Forgets the sum: the next write overwrites.
  void clear() const;

  // --- for backward passes; an Error if the tensor has changed since this handle was made ---
  // Adds a contribution, summed first over the axes that broadcasting had repeated. The first one
  // is taken over instead of copied; by a leaf, whose sum stays, only if nobody else holds it.
  void accumulate(Tensor contribution) const;
  // The memory, for a kernel that writes or adds every element itself.
  Sum sum() const;
  // The memory, set to zero if nothing was written yet, for a kernel that adds to some elements.
  real* sum_or_zeros() const;

 private:
  friend class Tape;
  void check_unchanged(const char* whose) const;
  void check_input() const;  // that a contribution is right and goes somewhere
  void own_memory() const;   // sees to it that this slot alone may write to its memory
  Shape shape_;
  std::shared_ptr<GradientSlot> slot_;
  std::uint32_t version_ = 0;  // of the slot when this handle was made
};

}  // namespace engine
