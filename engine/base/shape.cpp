#include "engine/base/shape.h"

#include <algorithm>
#include <ostream>

#include "engine/base/check.h"

namespace engine {

Shape::Shape(std::span<const Index> sizes) {
  check(sizes.size() <= max_rank, "shape: ", sizes.size(), " axes, at most ", max_rank);
  Index elements = sizeof(real);
  for (const Index size : sizes) {
    check(size >= 0, "shape: axis ", rank_, " has negative size ", size);
    at(sizes_, rank_++) = size;
    check(!__builtin_mul_overflow(elements, std::max<Index>(size, 1), &elements), "shape: ", *this,
          " has more elements than memory can hold");
  }
}

Index Shape::size() const { return product(0, rank_); }

Index Shape::product(int begin, int end) const {
  Index product = 1;
  for (int i = begin; i < end; ++i) product *= (*this)[i];
  return product;
}

int Shape::axis(const char* op, int axis) const {
  check(-rank_ <= axis && axis < rank_, op, ": shape ", *this, " has ", rank_,
        " axes, there is no axis ", axis);
  return axis < 0 ? axis + rank_ : axis;
}

Shape Shape::with(int axis, Index size) const {
  Shape shape = *this;
  at(shape.sizes_, axis) = size;
  return Shape(shape.sizes());  // checks the new number of elements
}

Shape Shape::without(int axis) const {
  Shape shape = *this;
  std::copy(shape.sizes_.begin() + axis + 1, shape.sizes_.end(), shape.sizes_.begin() + axis);
  shape.sizes_.back() = 0;
  --shape.rank_;
  return shape;
}

Shape Shape::inserted(int axis, Index size) const {
  check(rank_ < max_rank, "shape: ", *this, " has no room for another axis");
  Shape shape = *this;
  std::copy_backward(sizes_.begin() + axis, sizes_.end() - 1, shape.sizes_.end());
  at(shape.sizes_, axis) = size;
  ++shape.rank_;
  return Shape(shape.sizes());
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '(';
  for (int i = 0; i < shape.rank(); ++i) out << (i > 0 ? ", " : "") << shape[i];
  return out << ')';
}

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  std::array<Index, Shape::max_rank> sizes;
  const int rank = std::max(a.rank(), b.rank());
  for (int i = 1; i <= rank; ++i) {
    const Index m = a.from_end(i), n = b.from_end(i);
    check(m == n || m == 1 || n == 1, op, ": shapes ", a, " and ", b, " do not broadcast: ", m,
          " against ", n);
    at(sizes, rank - i) = m == 1 ? n : m;
  }
  return Shape(std::span(sizes).first(unsigned_size(rank)));
}

}  // namespace engine
