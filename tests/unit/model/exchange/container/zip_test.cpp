// The zip reader and writer: what comes back, and that no damage and no contradiction between the
// headers is ever taken for an entry.
#include "model/exchange/container/zip.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/thread_pool.h"
#include "tests/catch.h"
#include "tests/pieces.h"

using model::crc32;
using model::ZipFile;
using model::ZipWriter;

namespace {

std::string error_of(std::string_view file) {
  try {
    ZipFile parsed(file);
  } catch (const engine::Error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string hello = "hello, hello, hello";
const std::string bytes_200(200, '\x80');

std::string small_file() {
  ZipWriter writer;
  writer.add("x/a", hello);
  writer.add("x/empty", "");
  writer.add("x/b", {bytes_200, "", hello});
  return joined_pieces(writer.pieces());
}

// An archive of one entry, written by hand with whatever its headers shall say.
struct Archive {
  std::uint32_t local_signature = 0x04034B50, central_signature = 0x02014B50,
                end_signature = 0x06054B50, end64_signature = 0x06064B50,
                locator_signature = 0x07064B50;
  std::string local_name = "x/a", name = "x/a", data = hello, descriptor, after_directory;
  std::string extra;         // of the central directory, before the ZIP64 field
  std::string before_first;  // bytes at the beginning of the file
  std::uint16_t flags = 0, method = 0, disk = 0, local_extra = 0;
  std::uint32_t crc = crc32(hello);
  std::uint64_t size = 19, stored_size = 19, local_begin = 0;
  bool size_in_zip64 = false, stored_size_in_zip64 = false, begin_in_zip64 = false;
  std::uint16_t zip64_kind = 1, zip64_bytes_less = 0;
  // The end records.
  std::uint16_t end_entries_here = 1, end_entries = 1, comment = 0, end_disk = 0;
  std::uint64_t directory_begin_more = 0, directory_size_more = 0;
  bool zip64_end = false;
  std::uint64_t entries64_here = 1, entries64 = 1, rest64 = 44, place_more = 0;
  std::uint32_t disk64 = 0, locator_disk = 0, locator_parts = 1;
  std::uint32_t end_size = 0, end_begin = 0;  // of the end record, if not 0
  std::string tail;

  std::string bytes() const {
    std::string out = before_first;
    const auto put = [&out]<class... Numbers>(Numbers... numbers) {
      (out.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    };
    const std::uint16_t none = 0;
    const auto marked = [](std::uint64_t number, bool in_zip64) {
      return in_zip64 ? 0xFFFFFFFF : static_cast<std::uint32_t>(number);
    };
    put(local_signature, none, flags, method, none, none, crc, static_cast<std::uint32_t>(size),
        static_cast<std::uint32_t>(size), static_cast<std::uint16_t>(local_name.size()),
        local_extra);
    out += local_name + data + descriptor;

    const std::uint64_t begin = out.size();
    const auto numbers =
        static_cast<std::uint16_t>(size_in_zip64 + stored_size_in_zip64 + begin_in_zip64);
    const auto zip64 = static_cast<std::uint16_t>(numbers == 0 ? 0 : 4 + 8 * numbers);
    put(central_signature, none, none, flags, method, none, none, crc,
        marked(stored_size, stored_size_in_zip64), marked(size, size_in_zip64),
        static_cast<std::uint16_t>(name.size()), static_cast<std::uint16_t>(zip64 + extra.size()),
        none, disk, none, none, none, marked(local_begin, begin_in_zip64));
    out += name + extra;
    if (numbers > 0) put(zip64_kind, static_cast<std::uint16_t>(8 * numbers - zip64_bytes_less));
    if (size_in_zip64) put(size);
    if (stored_size_in_zip64) put(stored_size);
    if (begin_in_zip64) put(local_begin);
    out += after_directory;

    const std::uint64_t end = out.size(), directory_begin = begin + directory_begin_more,
                        directory_size = end - begin + directory_size_more;
    if (zip64_end) {
      put(end64_signature, rest64, none, none, disk64, disk64, entries64_here, entries64,
          directory_size, directory_begin);
      put(locator_signature, locator_disk, end + place_more, locator_parts);
    }
    put(end_signature, end_disk, none, end_entries_here, end_entries,
        end_size ? end_size : static_cast<std::uint32_t>(directory_size),
        end_begin ? end_begin : static_cast<std::uint32_t>(directory_begin), comment);
    return out + tail;
  }
};

// The error of an archive of which `change` has changed something.
template <class Change>
std::string error_after(Change change) {
  Archive archive;
  change(archive);
  return error_of(archive.bytes());
}

}  // namespace

TEST_CASE("zip: the CRC-32 of texts of every length, in pieces of any size") {
  CHECK(crc32("") == 0);
  CHECK(crc32("123456789") == 0xCBF43926);  // published
  CHECK(crc32("The quick brown fox jumps over the lazy dog") == 0x414FA339);
  std::string text;
  for (int i = 0; i < 100; ++i) {
    std::uint32_t bitwise = 0xFFFFFFFF;
    for (const char c : text) {
      bitwise ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) bitwise = bitwise >> 1 ^ (bitwise & 1) * 0xEDB88320;
    }
    INFO(i << " bytes");
    CHECK(crc32(text) == ~bitwise);
    for (std::size_t cut = 0; cut <= text.size(); cut += 7)
      CHECK(crc32(text.substr(cut), crc32(text.substr(0, cut))) == ~bitwise);
    text += static_cast<char>(i * i + 3 * i + 1);
  }
}

TEST_CASE("zip: what is written is read back, in place, at multiples of 64 bytes") {
  const std::string file = small_file();
  const ZipFile parsed(file);
  REQUIRE(parsed.entries().size() == 3);
  CHECK(parsed.entries()[1].name == "x/empty");
  CHECK(parsed.find("x/a")->data == hello);
  CHECK(parsed.find("x/empty")->data.empty());
  CHECK(parsed.find("x/b")->data == bytes_200 + hello);
  CHECK(parsed.find("x") == nullptr);
  for (const model::ZipEntry& entry : parsed.entries())
    CHECK((entry.data.data() - file.data()) % 64 == 0);
  CHECK(small_file() == file);

  ZipWriter nothing;
  CHECK(ZipFile(joined_pieces(nothing.pieces())).entries().empty());
  CHECK_THROWS_WITH(nothing.add(std::string(65535, 'n'), ""),
                    Catch::Contains("a name of 65535 bytes"));
}

TEST_CASE("zip: more than 65,535 entries") {
  ZipWriter writer;
  for (int i = 0; i < 66000; ++i) writer.add(std::to_string(i), "");
  const std::string file = joined_pieces(writer.pieces());
  const ZipFile parsed(file);
  CHECK(parsed.entries().size() == 66000);
  CHECK(parsed.find("65999") != nullptr);
}

TEST_CASE("zip: damage of an archive that threads check together") {
  const std::string mega(1 << 20, 'm');
  ZipWriter writer;
  for (const char* const name : {"a", "b", "c", "d", "e"}) writer.add(name, mega);
  std::string file = joined_pieces(writer.pieces());
  const int before = engine::thread_count();
  for (const int threads : {1, 2}) {
    engine::set_thread_count(threads);
    CHECK(error_of(file) == "accepted");
    for (std::size_t i = 0; i < 5; ++i) {
      const std::size_t place = (i + 1) * mega.size() - 5;
      file[place] ^= 1;
      CHECK_THAT(error_of(file), Catch::StartsWith("entry \"" + std::string(1, char('a' + i)) +
                                                   "\" is damaged: its CRC-32 is "));
      file[place] ^= 1;
    }
  }
  engine::set_thread_count(before);
}

TEST_CASE("zip: archives with ZIP64 records, descriptors, other fields and bytes before them") {
  CHECK(error_of(Archive().bytes()) == "accepted");
  Archive archive;
  archive.flags = 1 << 3 | 1 << 11;
  archive.descriptor = "sixteen bytes...";
  archive.extra = std::string("UT\3\0abc", 7);
  archive.size_in_zip64 = archive.stored_size_in_zip64 = archive.begin_in_zip64 = true;
  archive.zip64_end = true;
  archive.before_first = "before";
  archive.local_begin = 6;
  const auto data = [&] { return std::string(ZipFile(archive.bytes()).find("x/a")->name); };
  CHECK(data() == "x/a");
  archive.end_entries = archive.end_entries_here = 0xFFFF;
  archive.end_size = archive.end_begin = 0xFFFFFFFF;
  CHECK(data() == "x/a");
  for (int which = 0; which < 3; ++which) {
    Archive one;
    one.size_in_zip64 = which == 0;
    one.stored_size_in_zip64 = which == 1;
    one.begin_in_zip64 = which == 2;
    const std::string file = one.bytes();
    CHECK(ZipFile(file).find("x/a")->data == hello);
  }
}

TEST_CASE("zip: truncations and appended bytes are refused, flipped bits harmless or found") {
  Archive zip64;
  zip64.zip64_end = zip64.size_in_zip64 = zip64.begin_in_zip64 = true;
  for (const std::string& file : {small_file(), zip64.bytes()}) {
    const ZipFile parsed(file);
    for (std::size_t size = 0; size < file.size(); ++size) {
      INFO("cut to " << size << " of " << file.size() << " bytes");
      CHECK(error_of(std::string_view(file).substr(0, size)) != "accepted");
    }
    for (int byte = 0; byte < 256; ++byte)
      CHECK(error_of(file + static_cast<char>(byte)) != "accepted");
    std::size_t harmless = 0;
    for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
      std::string damaged = file;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
      try {
        const ZipFile again(damaged);
        ++harmless;
        INFO("byte " << bit / 8 << ", bit " << bit % 8);
        CHECK(std::ranges::equal(again.entries(), parsed.entries(), [](auto& a, auto& b) {
          return a.name == b.name && a.data == b.data;
        }));
      } catch (const engine::Error&) {
      }
    }
    // Versions, times, attributes, padding, numbers that a local header repeats.
    CHECK(harmless < 8 * (3 * 100 + 3 * 64));
  }
}

TEST_CASE("zip: the errors of damage say what and where") {
  std::string file = small_file();
  CHECK(error_of("PK") == "is no zip archive: 2 bytes, expected 22 or more");
  CHECK(error_of(file.substr(0, 200)) ==
        "is no zip archive, or not all of it: no end record in the last 22 bytes");
  file[64] ^= 4;
  CHECK(error_of(file) == "entry \"x/a\" is damaged: its CRC-32 is e0a2ac7d, expected 09caa19f");
}

TEST_CASE("zip: headers that contradict each other are refused by name") {
  CHECK(error_after([](Archive& a) { a.method = 8; }) ==
        "entry \"x/a\": compressed by method 8 from 19 to 19 bytes, expected it stored as it is "
        "(method 0)");
  CHECK(error_after([](Archive& a) { a.stored_size = 18; }) ==
        "entry \"x/a\": compressed by method 0 from 19 to 18 bytes, expected it stored as it is "
        "(method 0)");
  CHECK(error_after([](Archive& a) { a.flags = 1; }) ==
        "entry \"x/a\": flags 0x0001 in part 0, expected it not encrypted and in part 0");
  CHECK(error_after([](Archive& a) { a.disk = 1; }) ==
        "entry \"x/a\": flags 0x0000 in part 1, expected it not encrypted and in part 0");
  CHECK(error_after([](Archive& a) { a.crc = 0x1234; }) ==
        "entry \"x/a\" is damaged: its CRC-32 is " + engine::hex(crc32(hello), 8) +
            ", expected 00001234");
  const std::string header = "entry \"x/a\": another entry's header, or none, at byte 0";
  CHECK(error_after([](Archive& a) { a.local_signature = 0x04034B51; }) == header);
  CHECK(error_after([](Archive& a) { a.local_name = "x/b"; }) == header);
  CHECK(error_after([](Archive& a) { a.local_name = "x/abc"; }) == header);
  CHECK(error_after([](Archive& a) { a.central_signature = 7; }) ==
        "the central directory has 0x00000007 where an entry is expected");
  CHECK(error_after([](Archive& a) { a.name = "evil\n\x1b"; }) ==
        "entry \"evil\\n\\x1b\": another entry's header, or none, at byte 0");
}

TEST_CASE("zip: places and sizes outside the file are refused") {
  CHECK(error_after([](Archive& a) { a.size = a.stored_size = 20; }) ==
        "entry \"x/a\" wants 20 bytes from byte 33, but the central directory begins at 52");
  CHECK(error_after([](Archive& a) { a.local_extra = 1; }) ==
        "entry \"x/a\" wants 19 bytes from byte 34, but the central directory begins at 52");
  CHECK(error_after([](Archive& a) { a.local_extra = 20; }) ==
        "entry \"x/a\" wants 19 bytes from byte 53, but the central directory begins at 52");
  CHECK(error_after([](Archive& a) { a.local_begin = 23; }) ==
        "entry \"x/a\": local header at byte 23, but the central directory begins at 52");
  CHECK(error_after([](Archive& a) { a.local_begin = 53; }) ==
        "entry \"x/a\": local header at byte 53, but the central directory begins at 52");
  for (const std::uint64_t huge :
       {~std::uint64_t{0}, ~std::uint64_t{0} - 32, std::uint64_t{1} << 63}) {
    CHECK_THAT(error_after([&](Archive& a) {
                 a.size = a.stored_size = huge;
                 a.size_in_zip64 = a.stored_size_in_zip64 = true;
               }),
               Catch::StartsWith("entry \"x/a\" wants " + std::to_string(huge)));
    CHECK_THAT(error_after([&](Archive& a) {
                 a.local_begin = huge;
                 a.begin_in_zip64 = true;
               }),
               Catch::StartsWith("entry \"x/a\": local header at byte " + std::to_string(huge)));
    CHECK_THAT(error_after([&](Archive& a) {
                 a.zip64_end = true;
                 a.directory_begin_more = huge;
                 a.end_begin = 0xFFFFFFFF;
               }),
               Catch::StartsWith("the central directory has "));
  }
  CHECK(error_after([](Archive& a) { a.directory_begin_more = 1; }) ==
        "the central directory has 49 bytes from byte 53, expected it to end at byte 101");
  CHECK(error_after([](Archive& a) { a.directory_size_more = 1; }) ==
        "the central directory has 50 bytes from byte 52, expected it to end at byte 101");
  CHECK(error_after([](Archive& a) { a.after_directory = "!"; }) ==
        "the central directory goes on after its last entry, by 1 byte");
}

TEST_CASE("zip: numbers of entries are bounded by the bytes there are") {
  CHECK(error_after([](Archive& a) { a.end_entries = a.end_entries_here = 2; }) ==
        "the central directory of 49 bytes cannot hold 2 entries");
  CHECK(error_after([](Archive& a) {
          a.zip64_end = true;
          a.entries64 = a.entries64_here = std::uint64_t{1} << 32;
          a.end_entries = a.end_entries_here = 0xFFFF;
        }) == "the central directory of 49 bytes cannot hold 4294967296 entries");
  CHECK(error_after([](Archive& a) { a.end_entries = a.end_entries_here = 0; }) ==
        "the central directory goes on after its last entry, by 49 bytes");
  CHECK(error_after([](Archive& a) {
          a.end_entries = a.end_entries_here = 2;
          a.after_directory.assign(45, '\0');
        }) == "the central directory ends within an entry");
  CHECK(error_after([](Archive& a) {
          a.end_entries = a.end_entries_here = 2;
          const std::uint32_t signature = 0x02014B50;
          a.after_directory.assign(reinterpret_cast<const char*>(&signature), 4);
          a.after_directory.resize(46);
          a.after_directory[28] = 1;
        }) == "the central directory ends within an entry");
}

TEST_CASE("zip: the end records are checked, field by field") {
  const std::string one_part = "end record: expected one archive of one part, without a comment";
  CHECK(error_after([](Archive& a) { a.end_signature = 1; }) ==
        "is no zip archive, or not all of it: no end record in the last 22 bytes");
  CHECK(error_after([](Archive& a) { a.end_disk = 1; }) == one_part);
  CHECK(error_after([](Archive& a) { a.end_entries_here = 2; }) == one_part);
  CHECK(error_after([](Archive& a) { a.comment = 3; }) == one_part);

  const auto error64 = [](auto change) {
    return error_after([&](Archive& a) {
      a.zip64_end = true;
      change(a);
    });
  };
  CHECK(error64([](Archive&) {}) == "accepted");
  CHECK(error64([](Archive& a) { a.locator_signature = 1; }) ==
        "the central directory has 49 bytes from byte 52, expected it to end at byte 177");
  const std::string place = "ZIP64 end record: its place is byte ";
  CHECK(error64([](Archive& a) { a.place_more = 1; }) ==
        place + "102 of part 0 of 1, expected byte 101 of part 0 of 1");
  CHECK(error64([](Archive& a) { a.locator_disk = 1; }) ==
        place + "101 of part 1 of 1, expected byte 101 of part 0 of 1");
  CHECK(error64([](Archive& a) { a.locator_parts = 2; }) ==
        place + "101 of part 0 of 2, expected byte 101 of part 0 of 1");
  const std::string record = "ZIP64 end record: expected one archive of one part, at byte 101";
  CHECK(error64([](Archive& a) { a.end64_signature = 1; }) == record);
  CHECK(error64([](Archive& a) { a.rest64 = 45; }) == record);
  CHECK(error64([](Archive& a) { a.disk64 = 1; }) == record);
  CHECK(error64([](Archive& a) { a.entries64_here = 2; }) == record);
  const std::string contradicts = "the end record contradicts the ZIP64 end record";
  CHECK(error64([](Archive& a) { a.entries64 = a.entries64_here = 2; }) == contradicts);
  CHECK(error64([](Archive& a) { a.end_size = 5; }) == contradicts);
  CHECK(error64([](Archive& a) { a.end_begin = 5; }) == contradicts);
}

TEST_CASE("zip: ZIP64 fields that are missing or too short are refused") {
  const auto error64 = [](auto change) {
    return error_after([&](Archive& a) {
      a.size_in_zip64 = a.begin_in_zip64 = true;
      change(a);
    });
  };
  CHECK(error64([](Archive&) {}) == "accepted");
  CHECK(error64([](Archive& a) { a.zip64_kind = 2; }) ==
        "entry \"x/a\": no ZIP64 field for its sizes");
  CHECK(error64([](Archive& a) { a.zip64_bytes_less = 1; }) ==
        "entry \"x/a\": a ZIP64 field of 15 bytes, expected 16");
  CHECK(error64([](Archive& a) { a.extra.assign("UT\0\1", 4); }) ==
        "entry \"x/a\": an extra field of 256 bytes, 20 are left");
}

TEST_CASE("zip: entries that overlap or have the same name are refused") {
  ZipWriter writer;
  writer.add("a", hello);
  writer.add("a", hello);
  CHECK(error_of(joined_pieces(writer.pieces())) == "entry \"a\": there are two of this name");

  // The second entry lies within the data of the first.
  const std::string inner = Archive().bytes().substr(0, 52);
  Archive outer;
  outer.local_name = outer.name = "x/o";
  outer.data = inner;
  outer.size = outer.stored_size = inner.size();
  outer.crc = crc32(inner);
  Archive both = outer;
  const std::string alone = outer.bytes();
  Archive within;
  within.local_begin = 33;
  both.after_directory = within.bytes().substr(52, 49);
  both.end_entries = both.end_entries_here = 2;
  CHECK(error_of(alone) == "accepted");
  CHECK(error_of(both.bytes()) == "entry \"x/a\" begins at byte 33, within entry \"x/o\"");
}
