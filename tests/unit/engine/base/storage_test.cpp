#include "engine/base/storage.h"

#include <cstdint>
#include <limits>
#include <new>

#include "tests/catch.h"

using namespace engine;

TEST_CASE("pool: a block is 64-byte aligned and comes back for the next request of its size") {
  for (const std::size_t bytes : {1u, 64u, 65u, 127u, 128u, 129u, 1000u, 4096u, 5000000u}) {
    INFO("bytes " << bytes);
    void* const first = pool::allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    static_cast<char*>(first)[bytes - 1] = 1;
    const std::size_t live = pool::usage().live;
    pool::release(first, bytes);
    CHECK(pool::usage().live < live);
    void* const second = pool::allocate(bytes);
    CHECK(second == first);
    pool::release(second, bytes);
  }
}

TEST_CASE(
    "pool: sizes are whole eighths of the power of two below, and no request changes the sums") {
  const pool::Usage at_first = pool::usage();
  for (std::size_t bytes = 1; bytes < 70'000; bytes += bytes < 5000 ? 1 : 97) {
    std::size_t power = 64;  // the largest that is less
    while (2 * power < bytes) power *= 2;
    const std::size_t eighth = power / 8,
                      size = bytes <= 64 ? 64 : (bytes + eighth - 1) / eighth * eighth;
    const pool::Usage before = pool::usage();
    void* const block = pool::allocate(bytes);
    const pool::Usage with = pool::usage();
    pool::release(block, bytes);
    INFO(bytes << " bytes");
    REQUIRE(with.live - before.live == size);
    REQUIRE((with.reserved == before.reserved || with.reserved == before.reserved + size));
    REQUIRE(pool::usage().live == before.live);
    REQUIRE(pool::usage().reserved == with.reserved);
    REQUIRE(pool::block_bytes(double(bytes)) == double(size));
  }
  if (!sanitized) CHECK_THROWS_AS(Buffer(Index(1) << 55), pool::OutOfMemory);
  CHECK(pool::usage().live == at_first.live);
  pool::trim();
  CHECK(pool::usage().reserved == pool::usage().live);
}

TEST_CASE("buffer: copies and parts share memory") {
  Buffer whole(10);
  CHECK(whole.unshared());
  Buffer part = whole.part(2, 3);
  CHECK_FALSE(whole.unshared());
  part.data()[0] = 7;
  CHECK(whole.data()[2] == 7);
  whole = std::move(part);
  CHECK(whole.data()[0] == 7);
  CHECK((!part && part.size() == 0));
}

TEST_CASE("pool: what no memory holds is refused, not cut to the bits of size_t") {
  CHECK_THROWS_AS(Buffer(Index(1) << 60), pool::OutOfMemory);
  CHECK_THROWS_AS(pool::allocate(std::numeric_limits<std::uint64_t>::max()), pool::OutOfMemory);
  if constexpr (sizeof(std::size_t) == 4) {  // 4 (2^30 + 16) bytes are 64 modulo 2^32
    CHECK_THROWS_AS(Buffer((Index(1) << 30) + 16), pool::OutOfMemory);
    CHECK_THROWS_AS(unsigned_size(Index(1) << 32), std::bad_alloc);
  }
}
