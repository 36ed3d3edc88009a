// The token ids of a text, in 16 bits each where the vocabulary allows it: half the memory for a
// corpus, whose ids stay in memory for as long as training lasts.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/real.h"

namespace model {

using engine::Index;

class TokenIds {
 public:
  // For ids 0 .. vocabulary_size - 1, with vocabulary_size at most 2^31 - 1.
  explicit TokenIds(Index vocabulary_size) : is_narrow_(vocabulary_size <= 1 << 16) {}

  Index size() const { return std::ssize(narrow_) + std::ssize(wide_); }
  // Again and again by a little, it is no dearer than growing by push_back.
  void reserve(Index size) {
    is_narrow_ ? reserve(narrow_, std::size_t(size)) : reserve(wide_, std::size_t(size));
  }
  void push_back(std::int32_t id) {
    is_narrow_ ? narrow_.push_back(std::uint16_t(id)) : wide_.push_back(id);
  }

  std::int32_t operator[](Index i) const {
    assert(0 <= i && i < size());
    return is_narrow_ ? narrow_[std::size_t(i)] : wide_[std::size_t(i)];
  }
  // Ids begin .. begin + window.size() - 1, which must exist.
  void copy(Index begin, std::span<std::int32_t> window) const {
    assert(0 <= begin && begin + std::ssize(window) <= size());
    if (is_narrow_)
      std::copy_n(narrow_.begin() + begin, window.size(), window.begin());
    else
      std::copy_n(wide_.begin() + begin, window.size(), window.begin());
  }

 private:
  template <class Id>
  static void reserve(std::vector<Id>& ids, std::size_t size) {
    if (size > ids.capacity()) ids.reserve(std::max(size, 2 * ids.capacity()));
  }

  bool is_narrow_;
  std::vector<std::uint16_t> narrow_;  // one of the two is always empty
  std::vector<std::int32_t> wide_;
};

}  // namespace model
