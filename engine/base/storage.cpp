#include "engine/base/storage.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>

#include "engine/base/cpu.h"

namespace engine {
namespace {

constexpr std::size_t alignment = 64;                // a cache line, and the widest vector
constexpr std::size_t large = std::size_t(1) << 21;  // from this size on huge pages are faster

struct SizeClass {
  std::size_t index;
  std::uint64_t bytes;
};

// Eight sizes per power of two: 64, 72, ..., 128, 144, ..., 256, 288, ... Rounding up wastes at
// most an eighth; in a large block the system never backs the wasted pages with memory.
SizeClass size_class(std::uint64_t bytes) {
  if (bytes <= alignment) return {0, alignment};
  if (bytes > std::numeric_limits<std::uint64_t>::max() / 4) throw pool::OutOfMemory(bytes);
  const auto log = static_cast<int>(std::bit_width(bytes - 1)) - 1;  // 2^log < bytes <= 2^(log + 1)
  const std::uint64_t step = (std::uint64_t(1) << log) / 8;
  const std::uint64_t eighths = ceil_div(bytes - (std::uint64_t(1) << log), step);  // 1..8
  return {static_cast<std::size_t>(log - 6) * 8 + static_cast<std::size_t>(eighths),
          (std::uint64_t(1) << log) + eighths * step};
}

class Pool {
 public:
  void* allocate(std::uint64_t bytes) {
    const auto [index, rounded] = size_class(bytes);
    if (rounded > std::numeric_limits<std::size_t>::max()) throw pool::OutOfMemory(bytes);
    const auto size = static_cast<std::size_t>(rounded);
    {
      const std::lock_guard lock(mutex_);
      live_ += size;
      if (Free* block = free_[index]) {
        free_[index] = block->next;
        return block;
      }
      reserved_ += size;
    }
    try {
      void* block = ::operator new(size, align_of(size));
      if (size >= large) advise_large_pages(block, size);
      return block;
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      live_ -= size;
      reserved_ -= size;
      throw pool::OutOfMemory(bytes);
    }
  }

  void release(void* block, std::size_t bytes) noexcept {
    const auto [index, rounded] = size_class(bytes);
    const auto size = static_cast<std::size_t>(rounded);
    const std::lock_guard lock(mutex_);
    live_ -= size;
    free_[index] = ::new (block) Free{free_[index], size};
  }

  pool::Usage usage() {
    const std::lock_guard lock(mutex_);
    return {live_, reserved_};
  }

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  void trim() noexcept {
    const std::lock_guard lock(mutex_);
    for (Free*& head : free_)
      while (head != nullptr) {
        Free* const block = head;
        head = block->next;
        reserved_ -= block->size;
        ::operator delete(block, align_of(block->size));
      }
  }

 private:
  struct Free {  // stored in the freed block itself
    Free* next;
    std::size_t size;
  };
  static std::align_val_t align_of(std::size_t size) {
    return std::align_val_t{size >= large ? large : alignment};
  }

  std::mutex mutex_;
  Free* free_[8 * 58 + 1] = {};
  std::size_t live_ = 0, reserved_ = 0;
};

// Never destroyed: tensors may outlive every static object. Fork waits until no thread is inside.
Pool& the_pool() {
  static Pool* const pool = [] {
    around_fork([] { the_pool().lock(); }, [] { the_pool().unlock(); },
                [] { the_pool().unlock(); });
    return new Pool;
  }();
  return *pool;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return joined(": ", count_text(static_cast<std::int64_t>(std::min(bytes, most))),
                " bytes were requested");
}

}  // namespace

pool::OutOfMemory::OutOfMemory(std::uint64_t requested)
    : Error(joined("out of memory", bytes_text(requested))), bytes(requested) {}

std::optional<std::string> pool::out_of_memory(const std::exception& error,
                                               std::string_view while_doing) {
  const auto* const ours = dynamic_cast<const OutOfMemory*>(&error);
  if (ours == nullptr && dynamic_cast<const std::bad_alloc*>(&error) == nullptr) return {};
  return joined("out of memory while ", while_doing, ours ? bytes_text(ours->bytes) : "");
}
void* pool::allocate(std::uint64_t bytes) { return the_pool().allocate(bytes); }
void pool::release(void* block, std::size_t bytes) noexcept { the_pool().release(block, bytes); }
pool::Usage pool::usage() { return the_pool().usage(); }
void pool::trim() noexcept { the_pool().trim(); }

double pool::block_bytes(double bytes) {
  // No block is as large as 2^60 bytes, so its rounding does not matter.
  return bytes < 0x1p60 ? static_cast<double>(size_class(static_cast<std::uint64_t>(bytes)).bytes)
                        : bytes;
}

Buffer::Buffer(Index size) : size_(size) {
  constexpr Index most = std::numeric_limits<Index>::max() / Index(sizeof(real));
  check(0 <= size && size <= most, "buffer: ", size, " values, expected 0..", most);
  const auto requested = static_cast<std::uint64_t>(size) * sizeof(real);
  auto* const memory = static_cast<real*>(pool::allocate(requested));
  const std::size_t bytes = unsigned_size(requested);
  data_ = std::shared_ptr<real>(
      memory, [bytes](real* block) { pool::release(block, bytes); }, PoolAllocator<real>());
}

Buffer Buffer::part(Index offset, Index size) const {
  check(0 <= offset && offset <= size_ && 0 <= size && size <= size_ - offset, "buffer: ", size,
        " values from ", offset, " on are not within its ", size_);
  Buffer part;
  part.data_ = std::shared_ptr<real>(data_, data() + offset);
  part.size_ = size;
  return part;
}

}  // namespace engine
