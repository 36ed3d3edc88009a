// The sizes of a tensor's axes: up to four, the last one contiguous in memory (row-major).
// A tensor of rank 0 is a scalar and has one element. Axes may have size 0.
#pragma once

#include <array>
#include <initializer_list>
#include <iosfwd>
#include <span>

#include "engine/base/real.h"

namespace engine {

class Shape {
 public:
  static constexpr int max_rank = 4;

  Shape() = default;
  // Throws if there are more than four sizes, one is negative, or their product times sizeof(real)
  // does not fit in 63 bits.
  Shape(std::initializer_list<Index> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const Index> sizes);

  int rank() const { return rank_; }
  Index operator[](int axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
  // The size of the axis counted from the end (1 is the last); 1 where there is none, which is
  // how broadcasting aligns shapes.
  Index from_end(int position) const { return position <= rank_ ? (*this)[rank_ - position] : 1; }
  std::span<const Index> sizes() const { return {sizes_.data(), static_cast<std::size_t>(rank_)}; }

  Index size() const;  // elements
  // A tensor as rows along its last axis: rows() * cols() == size().
  Index rows() const { return product(0, rank_ - 1); }
  Index cols() const { return from_end(1); }
  // Product of the sizes of axes [begin, end); 1 if there are none.
  Index product(int begin, int end) const;

  // The axis meant by `axis`, where -1 is the last; throws Error, led by the name of the op.
  int axis(const char* op, int axis) const;
  // This shape with one axis resized, removed, or added in front of `axis`.
  Shape with(int axis, Index size) const;
  Shape without(int axis) const;
  Shape inserted(int axis, Index size) const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<Index, max_rank> sizes_ = {};  // unused axes are 0
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);  // "(4, 3)"

// The shape that a and b have in common under NumPy's rule: aligned at the last axis, sizes
// equal or one of them 1. Throws Error, led by the name of the op, where they are not.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

}  // namespace engine
