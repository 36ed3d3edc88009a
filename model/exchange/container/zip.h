// Zip archives whose entries are stored as they are, not compressed: the container of torch.save.
//
//     for each entry
//       local header   "PK\3\4", sizes, CRC-32, name, extra fields (padding, for example)
//       data           the entry's bytes
//       descriptor     only of some writers: sizes and CRC-32 once more
//     central directory
//       for each entry "PK\1\2", sizes, CRC-32, name, extra fields, where its local header begins
//     ZIP64 records    "PK\6\6" and "PK\6\7": the end record with 64-bit numbers; optional
//     end record       "PK\5\6": number of entries, where the central directory is
//
// The reader believes the central directory. Reader and writer copy no entry: what they return are
// views of the bytes they were given. Errors are engine::Error and name the entry.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/exchange/container/crc32.h"

namespace model {

struct ZipEntry {
  std::string name;
  std::string_view data;
};

class ZipFile {
 public:
  // Checks the whole file: the headers of each entry agree, the entries and their CRC-32 are
  // intact, no two overlap or have the same name. Keeps views of `file`.
  explicit ZipFile(std::string_view file);

  // In the order of the central directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;  // null if there is none

 private:
  std::vector<ZipEntry> entries_;
  std::map<std::string, std::size_t, std::less<>> index_;  // name -> index in entries_
};

// Each entry's data begins at a multiple of 64 bytes, as torch.save's do. Time stamps are fixed:
// equal entries make equal archives.
class ZipWriter {
 public:
  static constexpr std::uint64_t alignment = 64;

  // An entry of the bytes of all pieces. Keeps views of them, which must stay valid until the
  // pieces of the archive are written.
  void add(std::string_view name, std::vector<std::string_view> pieces);
  void add(std::string_view name, std::string_view data);

  // The bytes of the archive in pieces: views of this writer's headers and of the entries' data.
  std::vector<std::string_view> pieces();

 private:
  struct Entry {
    std::string name;
    std::vector<std::string_view> pieces;
    std::uint64_t size;
    std::uint32_t crc;
    std::string local_header;
  };

  std::vector<Entry> entries_;
  std::string directory_;  // and the end records
};

}  // namespace model
