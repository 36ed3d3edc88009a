// Memory that is kept. A training step asks for the same blocks again and again; handing them
// back to the system would mean page faults at every step. The pool keeps freed blocks in one
// list for each size, so that from the second or third step on nothing is allocated at all.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/base/real.h"

namespace engine {

namespace pool {
// A block of at least `bytes` bytes, 64-byte aligned, not initialised. Throws std::bad_alloc.
void* allocate(std::size_t bytes);
// Gives back a block; bytes as it was asked for.
void release(void* block, std::size_t bytes) noexcept;

struct Usage {
  std::size_t live;      // bytes handed out and not given back
  std::size_t reserved;  // bytes taken from the system: live and kept for reuse
};
Usage usage();
// Gives what is kept and not in use back to the system.
void trim() noexcept;
}  // namespace pool

// Lets standard containers and shared_ptr take their memory from the pool.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(pool::allocate(n * sizeof(T))); }
  void deallocate(T* block, std::size_t n) noexcept { pool::release(block, n * sizeof(T)); }
  friend bool operator==(PoolAllocator, PoolAllocator) { return true; }
};

// An array of n values from the pool that lives as long as its scope; not initialised.
template <class T>
class Scratch {
 public:
  explicit Scratch(Index n) : size_(n), data_(PoolAllocator<T>().allocate(std::size_t(n))) {}
  ~Scratch() { PoolAllocator<T>().deallocate(data_, std::size_t(size_)); }
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

// Values shared by handles: a copy refers to the same memory, which goes back to the pool with
// the last of them. A part shares its whole's memory (the parameters of a model lie in one).
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(Index size);  // not initialised

  explicit operator bool() const { return data_ != nullptr; }
  Index size() const { return size_; }
  real* data() const { return data_.get(); }
  Buffer part(Index offset, Index size) const;
  // Whether no other handle refers to this memory.
  bool unshared() const { return data_.use_count() == 1; }

 private:
  std::shared_ptr<real> data_;
  Index size_ = 0;
};

}  // namespace engine
