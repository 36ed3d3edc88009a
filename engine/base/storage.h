// A memory pool. Every training step allocates blocks of the same sizes; returning them to the
// system would cost page faults at every step. The pool keeps freed blocks in one list per size, so
// from the fourth step on nothing is allocated from the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace engine {

namespace pool {
struct OutOfMemory : Error {
  explicit OutOfMemory(std::uint64_t requested);
  std::uint64_t bytes;
};
// `out of memory while reading the model: 4,096 bytes were requested` if the error is an
// OutOfMemory; without the bytes if it is another std::bad_alloc.
std::optional<std::string> out_of_memory(const std::exception& error, std::string_view while_doing);

// A block of at least `bytes` bytes, 64-byte aligned, not initialized. Throws OutOfMemory.
void* allocate(std::uint64_t bytes);
// Returns a block to the pool; `bytes` as passed to allocate.
void release(void* block, std::size_t bytes) noexcept;

struct Usage {
  std::size_t live;      // bytes allocated and not yet released
  std::size_t reserved;  // bytes taken from the system: live, or kept for reuse
};
Usage usage();
// The size of the block that allocate(bytes) takes. A double: an estimate may exceed 64 bits.
double block_bytes(double bytes);
// Returns the blocks kept for reuse to the system.
void trim() noexcept;
}  // namespace pool

// Lets standard containers and shared_ptr take their memory from the pool.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}
  T* allocate(std::size_t n) {
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(n, sizeof(T), &bytes)) throw std::bad_array_new_length();
    return static_cast<T*>(pool::allocate(bytes));
  }
  void deallocate(T* block, std::size_t n) noexcept { pool::release(block, n * sizeof(T)); }
  friend bool operator==(PoolAllocator, PoolAllocator) { return true; }
};

// A temporary array of n values from the pool, freed at the end of its scope; not initialized.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index n) : size_(n), data_(PoolAllocator<T>().allocate(unsigned_size(n))) {}
  ~Scratch() { PoolAllocator<T>().deallocate(data_, unsigned_size(size_)); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() const { return data_; }
  Index size() const { return size_; }
  T& operator[](Index i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  Index size_;
  T* data_;
};

// A reference-counted array of reals: copies share its memory; the last one releases it to the
// pool. part() shares a range of the memory (all parameters of a model lie in one Buffer).
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Index size);  // not initialized
  Buffer(const Buffer&) noexcept = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(const Buffer&) noexcept = default;
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Buffer() = default;

  explicit operator bool() const { return data_ != nullptr; }
  Index size() const { return size_; }
  real* data() const { return data_.get(); }
  Buffer part(Index offset, Index size) const;
  // Whether no other handle refers to this memory, so that it may be overwritten.
  bool unshared() const { return data_.use_count() == 1; }

 private:
  std::shared_ptr<real> data_;
  Index size_ = 0;
};

}  // namespace engine
