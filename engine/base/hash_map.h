// Two hash tables for counting the parts of a text. Both use open addressing with linear probing:
// the entries lie in one array, whose size is a power of two and which is never more than half
// full. So a lookup touches one or two cache lines, where std::unordered_map follows pointers.
// There is no erasing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/real.h"

namespace model {

using engine::Index;

// A hash of `key`: its upper bits are the best mixed.
inline std::uint64_t mix(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  return (key ^ key >> 32) * 0xD6E8FEB86659FD93;
}

// One key for a pair of numbers in 0 .. 2^32 - 1, such as two tokens.
inline std::uint64_t pair_key(Index left, Index right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

// A map from 64-bit keys other than no_key to small values.
template <class Value>
class KeyMap {
 public:
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};

  KeyMap() : entries_(16) {}
  Index size() const { return size_; }

  // The value of `key`, inserted as Value{} if the key is new. Valid until the next insertion.
  Value& operator[](std::uint64_t key) {
    Entry* entry = &entries_[place(key)];
    if (entry->key == no_key) {
      if (2 * ++size_ > std::ssize(entries_)) {
        grow();
        entry = &entries_[place(key)];
      }
      entry->key = key;
    }
    return entry->value;
  }
  // nullptr if `key` is not in the map.
  const Value* find(std::uint64_t key) const {
    const Entry& entry = entries_[place(key)];
    return entry.key == no_key ? nullptr : &entry.value;
  }

 private:
  struct Entry {
    std::uint64_t key = no_key;
    Value value{};
  };

  // The index of the entry of `key`, or else of the free entry for it.
  std::size_t place(std::uint64_t key) const {
    auto i = static_cast<std::size_t>(mix(key) >> shift_);
    while (entries_[i].key != key && entries_[i].key != no_key) i = (i + 1) & (entries_.size() - 1);
    return i;
  }
  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    --shift_;
    for (const Entry& entry : old)
      if (entry.key != no_key) entries_[place(entry.key)] = entry;
  }

  std::vector<Entry> entries_;
  Index size_ = 0;
  int shift_ = 60;  // 64 - log2(entries_.size())
};

// Numbers distinct strings 0, 1, 2, ... in the order of their insertion. Keeps views of the
// strings, which must outlive it. The hashes depend on where in memory the table was made: nobody
// can write a file of strings that all have the same hash, which would take quadratic time.
class StringIndex {
 public:
  StringIndex() : entries_(16) {}

  // Takes the memory for `count` strings at once.
  void reserve(Index count) {
    const std::size_t all = engine::unsigned_size(count);
    strings_.reserve(all);
    while (entries_.size() < 2 * all) grow();
  }
  Index size() const { return std::ssize(strings_); }
  std::string_view operator[](Index i) const { return engine::at(strings_, i); }

  // The number of `string`, which is inserted if it is new.
  Index insert(std::string_view string) {
    const std::uint64_t hash = hash_of(string);
    std::size_t at = place(string, hash);
    if (entries_[at].index == none) {
      if (2 * (strings_.size() + 1) > entries_.size()) {
        grow();
        at = place(string, hash);
      }
      entries_[at] = {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(size())};
      strings_.push_back(string);
    }
    return entries_[at].index;
  }
  // The number of `string`; -1 if it was not inserted.
  Index find(std::string_view string) const {
    const Entry& entry = entries_[place(string, hash_of(string))];
    return entry.index == none ? -1 : Index{entry.index};
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    std::uint32_t hash;  // lower half of the hash, compared before the strings
    std::uint32_t index = none;
  };

  std::uint64_t hash_of(std::string_view string) const {
    std::uint64_t hash = mix(string.size() ^ secret_);
    while (!string.empty()) {
      const std::size_t size = std::min<std::size_t>(string.size(), 8);
      std::uint64_t word = 0;
      std::memcpy(&word, string.data(), size);
      hash = mix(hash ^ word);
      string.remove_prefix(size);
    }
    return hash;
  }
  std::size_t place(std::string_view string, std::uint64_t hash) const {
    auto i = static_cast<std::size_t>(hash >> shift_);
    while (entries_[i].index != none && (entries_[i].hash != static_cast<std::uint32_t>(hash) ||
                                         strings_[entries_[i].index] != string))
      i = (i + 1) & (entries_.size() - 1);
    return i;
  }
  void grow() {
    engine::check(strings_.size() < none / 2, strings_.size(), " distinct strings are too many");
    entries_.assign(2 * entries_.size(), {});
    --shift_;
    for (std::size_t i = 0; i < strings_.size(); ++i) {
      const std::uint64_t hash = hash_of(strings_[i]);
      entries_[place(strings_[i], hash)] = {static_cast<std::uint32_t>(hash),
                                            static_cast<std::uint32_t>(i)};
    }
  }

  std::vector<Entry> entries_;
  std::uint64_t secret_ = mix(reinterpret_cast<std::uintptr_t>(entries_.data()));
  std::vector<std::string_view> strings_;
  int shift_ = 60;  // 64 - log2(entries_.size())
};

}  // namespace model
