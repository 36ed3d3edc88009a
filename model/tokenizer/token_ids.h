// The token ids of a text, stored in 16 bits each if the vocabulary is small enough. A corpus stays
// in memory during training; this halves its memory.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/real.h"
#include "model/base/words.h"

namespace model {

class TokenIds {
 public:
  // For ids 0 .. vocabulary_size - 1, with vocabulary_size at most 2^31 - 1.
  explicit TokenIds(Index vocabulary_size) : is_narrow_(vocabulary_size <= 1 << 16) {}

  Index size() const { return std::ssize(narrow_) + std::ssize(wide_); }
  double bytes() const {
    return 2 * static_cast<double>(narrow_.capacity()) + 4 * static_cast<double>(wide_.capacity());
  }
  // When the capacity grows, it at least doubles, so that many small calls take linear time in
  // total.
  void reserve(Index size) {
    if (is_narrow_)
      reserve(narrow_, unsigned_size(size));
    else
      reserve(wide_, unsigned_size(size));
  }
  void push_back(std::int32_t id) {
    if (is_narrow_)
      narrow_.push_back(static_cast<std::uint16_t>(id));
    else
      wide_.push_back(id);
  }

  std::int32_t operator[](Index i) const {
    assert(0 <= i && i < size());
    return is_narrow_ ? engine::at(narrow_, i) : engine::at(wide_, i);
  }
  // Copies ids begin .. begin + window.size() - 1, which must exist.
  void copy(Index begin, std::span<std::int32_t> window) const {
    assert(0 <= begin && begin + std::ssize(window) <= size());
    if (is_narrow_)
      std::copy_n(narrow_.data() + begin, window.size(), window.begin());
    else
      std::copy_n(wide_.data() + begin, window.size(), window.begin());
  }

 private:
  template <class Id>
  static void reserve(std::vector<Id>& ids, std::size_t size) {
    if (size > ids.capacity()) ids.reserve(std::max(size, 2 * ids.capacity()));
  }

  bool is_narrow_;
  std::vector<std::uint16_t> narrow_;  // narrow_ or wide_ is always empty
  std::vector<std::int32_t> wide_;
};

}  // namespace model
