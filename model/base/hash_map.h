// A hash table for counting the parts of a text, with open addressing and linear probing. The
// entries lie in one array; its size is a power of two, and it is never more than half full. So a
// lookup touches one or two cache lines, where std::unordered_map follows pointers (with it, BPE
// encoding takes 1.7 times as long). Entries cannot be erased.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/real.h"

namespace model {

using engine::Index;

// A hash of `key`; its upper bits are mixed best.
inline std::uint64_t mix(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  return (key ^ key >> 32) * 0xD6E8FEB86659FD93;
}

// One key for a pair of numbers in 0 .. 2^32 - 1, such as two tokens.
inline std::uint64_t pair_key(Index left, Index right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

// The hash of a 64-bit key other than `free`.
struct KeyHash {
  static constexpr std::uint64_t free = ~std::uint64_t{0};
  static bool is_free(std::uint64_t key) { return key == free; }
  std::uint64_t operator()(std::uint64_t key) const { return mix(key); }
};

// The hash of a text. It depends on the address of its table, so nobody can craft a file of texts
// with equal hashes, which would take quadratic time.
class TextHash {
 public:
  static constexpr std::string_view free = {};
  static bool is_free(std::string_view text) { return text.data() == nullptr; }
  std::uint64_t operator()(std::string_view text) const {
    std::uint64_t hash = mix(text.size() ^ secret_);
    while (!text.empty()) {
      const std::size_t size = std::min<std::size_t>(text.size(), 8);
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), size);
      hash = mix(hash ^ word);
      text.remove_prefix(size);
    }
    return hash;
  }

 private:
  std::uint64_t secret_ = mix(reinterpret_cast<std::uintptr_t>(this));
};

template <class Key, class Value, class Hash>
class HashMap {
 public:
  HashMap() : entries_(16) {}
  // Allocates the memory for `count` keys at once.
  void reserve(Index count) {
    while (std::ssize(entries_) < 2 * count) grow();
  }
  Index size() const { return size_; }

  // The value of `key`, and whether the key is new (then it has got `value`). The reference is
  // valid until the next insertion.
  std::pair<Value&, bool> insert(Key key, Value value) {
    Entry* entry = &entries_[place(key)];
    const bool is_new = Hash::is_free(entry->key);
    if (is_new) {
      if (2 * ++size_ > std::ssize(entries_)) {
        grow();
        entry = &entries_[place(key)];
      }
      *entry = {key, value};
    }
    return {entry->value, is_new};
  }
  Value& operator[](Key key) { return insert(key, Value{}).first; }
  // nullptr if `key` is not in the map.
  const Value* find(Key key) const {
    const Entry& entry = entries_[place(key)];
    return Hash::is_free(entry.key) ? nullptr : &entry.value;
  }

 private:
  struct Entry {
    Key key = Hash::free;
    Value value{};
  };

  // The index of the entry of `key`, or of the free entry where it belongs.
  std::size_t place(Key key) const {
    auto i = static_cast<std::size_t>(hash_(key) >> shift_);
    while (!Hash::is_free(entries_[i].key) && entries_[i].key != key)
      i = (i + 1) & (entries_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    --shift_;
    for (const Entry& entry : old)
      if (!Hash::is_free(entry.key)) entries_[place(entry.key)] = entry;
  }

  Hash hash_;
  std::vector<Entry> entries_;
  Index size_ = 0;
  int shift_ = 60;  // 64 - log2(entries_.size())
};

template <class Value>
using KeyMap = HashMap<std::uint64_t, Value, KeyHash>;
template <class Value>
using TextMap = HashMap<std::string_view, Value, TextHash>;  // keeps views of the texts

}  // namespace model
