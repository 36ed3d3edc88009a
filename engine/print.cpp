#include "engine/print.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace engine {
namespace {

// One notation for all elements of a tensor, chosen from those that are shown.
class Notation {
 public:
  Notation(const std::vector<real>& shown, const PrintOptions& options) : options_(options) {
    double smallest = HUGE_VAL, largest = 0;
    for (const real value : shown) {
      if (value == 0 || !std::isfinite(value)) continue;
      const double size = std::abs(static_cast<double>(value));
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
      whole_ = whole_ && std::trunc(value) == value;
    }
    if (largest > 0)
      scientific_ = largest / smallest > 1000 || largest > 1e8 || (!whole_ && smallest < 1e-4);
    for (const real value : shown)
      if (value != 0 && std::isfinite(value)) width_ = std::max(width_, digits(value).size());
    // As in PyTorch, options.scientific does not change the width.
    scientific_ = options.scientific.value_or(scientific_);
  }

  Index width() const { return static_cast<Index>(width_); }
  std::string operator()(real value) const {
    const std::string number = digits(value);
    return std::string(width_ - std::min(width_, number.size()), ' ') + number;
  }

 private:
  std::string digits(real value) const {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (scientific_) return joined(std::scientific, std::setprecision(options_.precision), value);
    if (whole_) return joined(std::fixed, std::setprecision(0), value, '.');
    return joined(std::fixed, std::setprecision(options_.precision), value);
  }

  const PrintOptions& options_;
  bool whole_ = true, scientific_ = false;
  std::size_t width_ = 1;
};

class Printer {
 public:
  Printer(const Tensor& x, const PrintOptions& options)
      : x_(x),
        options_(options),
        in_part_(x.size() > options.threshold),
        notation_(elements(), options) {}

  // The axes from `axis` on, of the slice that begins at element `first`, indented by `indent`.
  std::string slice(int axis, Index first, Index indent) const {
    const int rank = x_.shape().rank();
    if (axis == rank) return notation_(x_.data()[first]);
    const bool innermost = axis == rank - 1;
    // One empty line between matrices, two between stacks of matrices.
    std::string line_end = ",";
    line_end.append(unsigned_size(innermost ? 1 : rank - 1 - axis), '\n');
    line_end.append(unsigned_size(indent + 1), ' ');
    const Index in_line =
        innermost ? std::max<Index>(1, (options_.line_width - indent) / (notation_.width() + 2))
                  : 1;
    const Index step = x_.shape().product(axis + 1, rank);
    std::string out = "[";
    Index count = 0;
    for (const Index i : shown(x_.shape()[axis])) {
      if (count > 0) out += count % in_line == 0 ? line_end : ", ";
      ++count;
      if (i < 0)
        out += innermost ? " ..." : "...";
      else
        out += slice(axis + 1, first + i * step, indent + 1);
    }
    return out + "]";
  }

 private:
  // The indices of an axis that are shown; -1 for the gap (...).
  std::vector<Index> shown(Index n) const {
    const Index edge = in_part_ ? options_.edge_items : n;
    std::vector<Index> list;
    for (Index i = 0; i < std::min(edge, n); ++i) list.push_back(i);
    if (n > 2 * edge) list.push_back(-1);
    for (Index i = std::max(edge, n - edge); i < n; ++i) list.push_back(i);
    return list;
  }

  std::vector<real> elements() const {
    std::vector<Index> firsts = {0};
    for (int axis = 0; axis < x_.shape().rank(); ++axis) {
      const Index step = x_.shape().product(axis + 1, x_.shape().rank());
      std::vector<Index> next;
      for (const Index first : firsts)
        for (const Index i : shown(x_.shape()[axis]))
          if (i >= 0) next.push_back(first + i * step);
      firsts = std::move(next);
    }
    std::vector<real> values;
    for (const Index first : firsts) values.push_back(x_.data()[first]);
    return values;
  }

  const Tensor& x_;
  const PrintOptions& options_;
  bool in_part_;
  Notation notation_;
};

}  // namespace

std::string format(const Tensor& x, const PrintOptions& options) {
  for (const Index number : {Index(options.precision), options.edge_items, options.line_width})
    check(0 <= number && number <= 10'000, "format: option ", number, ", expected 0 to 10000");
  if (!x) return "no tensor";
  if (x.size() == 0)
    return x.shape().rank() == 1 ? "tensor([])" : joined("tensor([], size=", x.shape(), ")");
  constexpr std::string_view name = "tensor(";
  return joined(name, Printer(x, options).slice(0, 0, std::ssize(name)), ")");
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << format(x); }

}  // namespace engine
