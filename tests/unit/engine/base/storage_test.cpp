#include "engine/base/storage.h"

#include <cstdint>
#include <limits>
#include <new>

#include "tests/catch.h"

using namespace engine;

constexpr std::size_t large = std::size_t(1) << 21;  // from here on, large pages

TEST_CASE("pool: sizes are whole eighths of the power of two below, blocks aligned and reused") {
  const pool::Usage at_first = pool::usage();
  const auto check = [](std::size_t bytes) {
    std::size_t power = 64;  // the largest that is less
    while (2 * power < bytes) power *= 2;
    const std::size_t eighth = power / 8,
                      size = bytes <= 64 ? 64 : (bytes + eighth - 1) / eighth * eighth;
    const pool::Usage before = pool::usage();
    void* const block = pool::allocate(bytes);
    const pool::Usage with = pool::usage();
    static_cast<char*>(block)[0] = static_cast<char*>(block)[bytes - 1] = 1;
    pool::release(block, bytes);
    INFO(bytes << " bytes");
    REQUIRE(reinterpret_cast<std::uintptr_t>(block) % (size < large ? 64 : large) == 0);
    REQUIRE(with.live - before.live == size);
    REQUIRE((with.reserved == before.reserved || with.reserved == before.reserved + size));
    REQUIRE(pool::usage().live == before.live);
    REQUIRE(pool::usage().reserved == with.reserved);
    REQUIRE(pool::block_bytes(double(bytes)) == double(size));
    REQUIRE(pool::allocate(bytes) == block);
    pool::release(block, bytes);
  };
  for (std::size_t bytes = 1; bytes < 70'000; bytes += bytes < 5000 ? 1 : 97) check(bytes);
  for (int log = 17; log < 26; ++log)
    for (const std::size_t eighths : {8u, 9u, 13u})
      for (const int off : {-1, 0, 1})
        check((std::size_t(1) << log) / 8 * eighths + std::size_t(off));
  CHECK(pool::usage().reserved > pool::usage().live);
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
