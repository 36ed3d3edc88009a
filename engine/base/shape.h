// The sizes of a tensor's axes, at most four; the last axis is contiguous in memory (row-major).
// A tensor of rank 0 is a scalar and has one element. Axes may have size 0.
#pragma once

#include <array>
#include <initializer_list>
#include <iosfwd>
#include <span>

#include "engine/base/index.h"

namespace engine {

class Shape {
 public:
  static constexpr int max_rank = 4;

  Shape() = default;
  // (0), the shape of no tensor.
  static constexpr Shape none() {
    Shape none;
    none.rank_ = 1;
    return none;
  }
  // Throws if there are more than four sizes, one is negative, or their product times sizeof(real)
  // does not fit in 63 bits.
  Shape(std::initializer_list<Index> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const Index> sizes);

  int rank() const { return rank_; }
  Index operator[](int axis) const { return at(sizes_, axis); }
  // The size of an axis counted from the end: from_end(1) is the size of the last axis. 1 if there
  // is no such axis, as in broadcasting.
  Index from_end(int position) const { return position <= rank_ ? (*this)[rank_ - position] : 1; }
  std::span<const Index> sizes() const { return {sizes_.data(), unsigned_size(rank_)}; }

  Index size() const;  // elements
  // The tensor as a matrix with rows along the last axis: rows() * cols() == size().
  Index rows() const { return product(0, rank_ - 1); }
  Index cols() const { return from_end(1); }
  // Product of the sizes of axes [begin, end); 1 for an empty range.
  Index product(int begin, int end) const;

  // `axis` in [-rank, rank), negative ones from the end, as one in [0, rank). Throws Error,
  // starting with the name of the op.
  int axis(const char* op, int axis) const;
  // This shape with one axis resized, removed, or inserted before `axis`.
  Shape with(int axis, Index size) const;
  Shape without(int axis) const;
  Shape inserted(int axis, Index size) const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<Index, max_rank> sizes_ = {};  // unused axes are 0
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);  // "(4, 3)"

// The shape to which NumPy's rule broadcasts a and b: aligned at the last axis, sizes must be equal
// or one of them 1; (4, 1) and (3) give (4, 3). Else throws Error, starting with `op`.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

}  // namespace engine
