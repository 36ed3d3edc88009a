// Tensor: a cheap handle {shape, values, gradient slot}. Dense, row-major, up to four axes.
// Copies share values and slot, as in PyTorch; reshape is a handle of another shape on the same
// values and the same slot, so it costs nothing and needs no derivative of its own.
//
// Gradient: a handle to the slot where d loss / d x is summed. It is called dx everywhere: never a
// differential. Parameters and recorded results have a slot; other tensors, called data, have none,
// so a backward pass checks `if (dx)`. (An op with one input need not check: it is recorded only if
// that input has a slot.)
//
// A tensor with a slot must not change between forward and backward: set, assign, mutable_data,
// mutable_values and mutable_matrix count as a change in place, and backward throws at an op if its
// input or result has changed. (PyTorch throws only where the derivative reads the values.) Changes
// through a handle without a slot are not counted: data, and x.detach(), which is PyTorch's x.data.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>

#include "engine/base/index.h"
#include "engine/base/shape.h"
#include "engine/base/storage.h"
#include "engine/kernels/instruction_set.h"
#include "engine/kernels/matrix_view.h"
#include "engine/kernels/write.h"

namespace engine {

class Generator;
class Gradient;
class Tape;

// Where a gradient is summed. The first contribution becomes the slot's memory, or is copied into
// it; later ones are added. So no pass over memory is needed to set gradients to zero.
struct GradientSlot {
  Buffer values;               // empty until the first write, unless given to require_gradient
  const Tape* tape = nullptr;  // the tape with this result's op; null after its backward
  std::uint32_t version = 0;   // counts the changes of the tensor's values in place
  bool leaf = true;            // made by require_gradient, not the result of an op
  bool written = false;
  // The sum stays in the memory given to require_gradient, e.g. a part of one block for the
  // gradients of all parameters (nn::FlatParameters).
  bool fixed = false;
};

// A number in Tensor::of({1, 2}). It is not a plain double, because {1} in of({{1}, {2}}) could be
// a double too, but should be a row.
struct Number {
  Number(double number) : value(static_cast<real>(number)) {}
  operator real() const { return value; }
  real value;
};

class Tensor {
 public:
  Tensor() = default;    // no tensor, e.g. an absent bias
  Tensor(double value);  // a scalar, shape (); implicit, so that x * 0.5 compiles
  // In tensor.cpp: compiled once, not in every file that uses tensors. A moved-from tensor is
  // absent.
  Tensor(const Tensor&) noexcept;
  Tensor(Tensor&&) noexcept;
  Tensor& operator=(const Tensor&) & noexcept;
  Tensor& operator=(Tensor&&) & noexcept;
  ~Tensor();
  // x[0] is a copy: x would not change.
  void operator=(const Tensor&) && = delete;  // not x[0] = 5: write x.set({0}, 5)

  static Tensor uninitialized(const Shape& shape);
  static Tensor zeros(const Shape& shape) { return full(shape, 0); }
  static Tensor ones(const Shape& shape) { return full(shape, 1); }
  static Tensor full(const Shape& shape, real value);
  static Tensor of(const Shape& shape, std::span<const real> values);
  static Tensor of(const Shape& shape, std::initializer_list<double> values);
  // A vector, of({1, 2, 3}); a matrix, of({{1, 2}, {3, 4}}), with rows of equal length.
  static Tensor of(std::initializer_list<Number> values);
  static Tensor of(std::initializer_list<std::initializer_list<double>> rows);
  using Rows = std::initializer_list<std::initializer_list<double>>;
  static void of(std::initializer_list<Rows>) = delete;  // three axes: of({1, 2, 2}, {1, 2, 3, 4})
  // 0, 1, ..., n - 1
  static Tensor arange(Index n);
  // Uniform in [0, 1), and standard normal: the numbers of torch.rand and torch.randn.
  static Tensor rand(const Shape& shape, Generator& generator);
  static Tensor randn(const Shape& shape, Generator& generator);
  // A handle on existing values, e.g. one parameter in a model's block; sizes must agree.
  static Tensor on(Buffer values, const Shape& shape);

  explicit operator bool() const { return static_cast<bool>(values_); }
  const Shape& shape() const { return shape_; }
  Index size() const { return values_.size(); }
  const real* data() const { return values_.data(); }
  // For writing: counts as a change in place. const, since it does not change the handle.
  real* mutable_data() const {
    mark_changed();
    return values_.data();
  }
  std::span<const real> values() const& { return {data(), unsigned_size(size())}; }
  std::span<real> mutable_values() const& { return {mutable_data(), unsigned_size(size())}; }
  void values() const&& = delete;  // the span would outlive a temporary f(x): give f(x) a name
  void mutable_values() const&& = delete;
  const Buffer& buffer() const { return values_; }
  real item() const;                                                 // of a tensor with one element
  real at(std::initializer_list<Index> index) const;                 // one element, checked
  void set(std::initializer_list<Index> index, double value) const;  // a change in place
  kernels::MatrixView matrix() const;                                // (rows, cols), see Shape
  kernels::MutableMatrixView mutable_matrix() const;

  // The slice at `index` of the first axis: select(*this, 0, index).
  Tensor operator[](Index index) const;
  // The same elements in another shape. One size may be -1: inferred from the others.
  Tensor reshape(const Shape& shape) const;
  Tensor reshape(std::initializer_list<Index> sizes) const;
  // The same values without the slot: gradients stop here.
  Tensor detach() const;
  // New values, equal to these, without a slot.
  Tensor clone() const;
  // Copies the values of x, a tensor of the same shape, into this one. Not recorded.
  void assign(const Tensor& x) const;
  // Counts a change in place that was made through other handles on the same memory.
  void mark_changed() const {
    if (slot_) ++slot_->version;
  }

  // Makes this a leaf (a parameter) with a new slot: backward sums its gradient, which stays until
  // cleared. Handles copied earlier share the values but not the slot; ops treat them as data.
  // `memory`, if given, holds the gradient (size() elements). A tensor that has a slot keeps it;
  // memory for another one is an Error. Returns *this.
  Tensor& require_gradient(Buffer memory = {});
  Gradient gradient() const;

  // PyTorch's methods, with what to write here instead.
  void backward() const = delete;     // tape.backward(x), with a Tape that was open in forward
  void size(int) const = delete;      // x.shape()[axis]
  void view(auto...) const = delete;  // x.reshape({2, -1})
  void t() const = delete;            // transpose(x)
  void grad() const = delete;         // x.gradient().value()

 private:
  friend class Tape;
  // Where an element is in memory; throws Error, starting with the name of the method.
  Index offset(const char* method, std::initializer_list<Index> index) const;
  Shape shape_ = Shape::none();  // so that an op given no tensor by mistake reads no elements
  Buffer values_;
  std::shared_ptr<GradientSlot> slot_;
};

// In PyTorch's format; print.h has the options.
std::ostream& operator<<(std::ostream& out, const Tensor& x);

// Where a kernel writes its contribution to a gradient, and whether it overwrites or adds.
struct GradientDestination {
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
  // Whether both are handles to one slot.
  friend bool operator==(const Gradient& a, const Gradient& b) { return a.slot_ == b.slot_; }
  // The sum so far; zeros if nothing was written. Shares memory with the slot.
  Tensor value() const;
  // Forgets the sum: the next write overwrites.
  void clear() const;

  // --- for backward passes; an Error if the tensor has changed since this handle was made ---
  // Adds a contribution, first summed over the axes that broadcasting repeated. The slot keeps the
  // first contribution's memory instead of copying it; a leaf does so only if it is unshared.
  void accumulate(Tensor contribution) const;
  // For a kernel: the memory to write to, which no other slot shares, and whether to overwrite it
  // (a first contribution) or to add. The kernel must write every element.
  GradientDestination destination() const;
  // For a kernel that adds to some elements; zeros if nothing was written yet.
  real* data_or_zeros() const;

 private:
  friend class Tape;
  void check_unchanged(const char* role) const;
  void check_input() const;  // unchanged, and a leaf or still on a tape
  void own_memory() const;   // allocates the memory, or copies it if another slot shares it
  Shape shape_;
  std::shared_ptr<GradientSlot> slot_;
  std::uint32_t version_ = 0;  // of the slot when this handle was made
};

}  // namespace engine
