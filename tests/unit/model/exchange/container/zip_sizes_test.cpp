// An archive of more than 4 GiB, of which only the headers are looked at: the writer keeps views, so
// the same piece many times takes no memory.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "model/exchange/container/zip.h"
#include "tests/catch.h"

TEST_CASE("zip: 4 GiB and more are written with ZIP64 fields") {
  const std::string mega(1 << 20, 'm');
  model::ZipWriter writer;
  writer.add("big", std::vector<std::string_view>(4096, mega));
  const std::string hello = "hello, hello, hello";
  writer.add("after", hello);
  const std::vector<std::string_view> pieces = writer.pieces();
  REQUIRE(pieces.size() == 1 + 4096 + 2 + 1);
  const auto u32 = [](std::string_view bytes, std::size_t at) {
    std::uint32_t value;
    std::memcpy(&value, bytes.substr(at, 4).data(), 4);
    return value;
  };
  const auto u64 = [](std::string_view bytes, std::size_t at) {
    std::uint64_t value;
    std::memcpy(&value, bytes.substr(at, 8).data(), 8);
    return value;
  };
  const std::uint64_t big = std::uint64_t{4} << 30;
  const std::string_view local = pieces[0];
  CHECK(local.size() % 64 == 0);
  CHECK(u32(local, 18) == 0xFFFFFFFF);
  CHECK(u32(local, 22) == 0xFFFFFFFF);
  CHECK(u32(local, 33) == (16 << 16 | 1));  // the field's kind and bytes
  CHECK(u64(local, 37) == big);
  CHECK(u64(local, 45) == big);
  const std::uint64_t after = local.size() + big;
  CHECK((after + pieces[4097].size()) % 64 == 0);

  const std::string_view directory = pieces.back();
  CHECK(u32(directory, 20) == 0xFFFFFFFF);
  CHECK(u32(directory, 24) == 0xFFFFFFFF);
  CHECK(u32(directory, 42) == 0);
  CHECK(u32(directory, 49) == (16 << 16 | 1));
  CHECK(u64(directory, 53) == big);
  CHECK(u64(directory, 61) == big);
  const std::string_view second = directory.substr(69);
  CHECK(u32(second, 24) == hello.size());
  CHECK(u32(second, 42) == 0xFFFFFFFF);
  CHECK(u32(second, 51) == (8 << 16 | 1));
  CHECK(u64(second, 55) == after);
  const std::string_view end64 = second.substr(63);
  CHECK(end64.size() == 56 + 20 + 22);
  CHECK(u64(end64, 40) == 69 + 63);
  CHECK(u64(end64, 48) == after + pieces[4097].size() + hello.size());
  CHECK(u64(end64, 56 + 8) == u64(end64, 48) + u64(end64, 40));
  CHECK(u32(end64, 56 + 20 + 16) == 0xFFFFFFFF);
}
