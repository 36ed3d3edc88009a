#include "model/exchange/container/zip.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/thread_pool.h"
#include "model/format/bytes.h"

namespace model {

using engine::check;
using engine::fail;
using engine::hex;
using engine::in_quotes;
using engine::Index;
using engine::unsigned_size;

namespace {

constexpr std::uint32_t local_signature = 0x04034B50, central_signature = 0x02014B50,
                        end_signature = 0x06054B50, end64_signature = 0x06064B50,
                        locator_signature = 0x07064B50;
// Sizes of the headers, without name and extra fields.
constexpr std::uint64_t local_bytes = 30, central_bytes = 46, end_bytes = 22, end64_bytes = 56,
                        locator_bytes = 20, extra_bytes = 4;

constexpr std::uint16_t zip64_field = 1;         // extra field with 64-bit sizes
constexpr std::uint16_t padding_field = 0x4246;  // "FB", ignored by readers
// Flags of an entry: a descriptor follows the data; the name is UTF-8.
constexpr std::uint16_t with_descriptor = 1 << 3, utf8_name = 1 << 11;
constexpr std::uint16_t version_2 = 20, version_zip64 = 45;  // of zip needed to read: 2.0, 4.5
constexpr std::uint16_t january_1_1980 = 1 << 5 | 1;         // years since 1980, month, day
// In place of a number that does not fit: the number is in the ZIP64 field or record.
constexpr std::uint16_t see_zip64_16 = 0xFFFF;
constexpr std::uint32_t see_zip64 = 0xFFFFFFFF;

// Reads little-endian numbers one after another; the caller has checked that they are there.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number next() {
    const auto number = load<Number>(bytes_.data());
    bytes_.remove_prefix(sizeof number);
    return number;
  }
  std::uint16_t u16() { return next<std::uint16_t>(); }
  std::uint32_t u32() { return next<std::uint32_t>(); }
  std::uint64_t u64() { return next<std::uint64_t>(); }
  void skip(std::size_t bytes) { bytes_.remove_prefix(bytes); }

 private:
  std::string_view bytes_;
};

// How messages name an entry: `entry "archive/data.pkl"`. Formatted only if there is an error.
struct EntryTitle {
  std::string_view name;
};
std::ostream& operator<<(std::ostream& out, EntryTitle title) {
  return out << "entry " << in_quotes(title.name);
}
EntryTitle entry_titled(std::string_view name) { return {name}; }

struct Directory {
  std::uint64_t entries, begin, size;
};

// Where the central directory is. It must end where the end records begin, and so no byte may
// follow these, nor a comment.
Directory read_end(std::string_view file) {
  check(file.size() >= end_bytes, "is no zip archive: ", file.size(), " bytes, expected ",
        end_bytes, " or more");
  std::size_t end = file.size() - end_bytes;
  Fields record(file.substr(end));
  check(record.u32() == end_signature,
        "is no zip archive, or not all of it: no end record in the last ", end_bytes, " bytes");
  const std::uint32_t disks = record.u32();
  const std::uint16_t entries_here = record.u16(), entries = record.u16();
  const std::uint32_t size = record.u32(), begin = record.u32();
  const std::uint16_t comment = record.u16();
  check(disks == 0 && comment == 0 && entries_here == entries,
        "end record: expected one archive of one part, without a comment");
  Directory directory{entries, begin, size};

  const bool zip64 = end >= locator_bytes + end64_bytes &&
                     Fields(file.substr(end - locator_bytes)).u32() == locator_signature;
  if (zip64) {
    Fields locator(file.substr(end - locator_bytes));
    end -= locator_bytes + end64_bytes;
    locator.skip(4);
    const std::uint32_t disk = locator.u32();
    const std::uint64_t place = locator.u64();
    const std::uint32_t parts = locator.u32();
    check(place == end && disk == 0 && parts == 1, "ZIP64 end record: its place is byte ", place,
          " of part ", disk, " of ", parts, ", expected byte ", end, " of part 0 of 1");
    Fields record64(file.substr(end));
    const std::uint32_t signature = record64.u32();
    const std::uint64_t rest = record64.u64();
    record64.skip(4);  // versions
    const std::uint64_t disks64 = record64.u64(), entries_here64 = record64.u64();
    directory.entries = record64.u64();
    directory.size = record64.u64();
    directory.begin = record64.u64();
    check(signature == end64_signature && rest == end64_bytes - 12 && disks64 == 0 &&
              entries_here64 == directory.entries,
          "ZIP64 end record: expected one archive of one part, at byte ", end);
    check((entries == directory.entries || entries == see_zip64_16) &&
              (size == directory.size || size == see_zip64) &&
              (begin == directory.begin || begin == see_zip64),
          "the end record contradicts the ZIP64 end record");
  }
  check(directory.begin <= end && directory.size == end - directory.begin,
        "the central directory has ", directory.size, " bytes from byte ", directory.begin,
        ", expected it to end at byte ", end);
  check(directory.entries <= directory.size / central_bytes, "the central directory of ",
        directory.size, " bytes cannot hold ", directory.entries, " entries");
  return directory;
}

struct Sizes {
  std::uint64_t size, stored_size, local_begin;
};

// Those of the three that are 0xFFFFFFFF in the header are in its ZIP64 field, in this order.
void read_zip64(Sizes& sizes, std::string_view extra, std::string_view name) {
  std::uint64_t* wanted[3];
  std::size_t count = 0;
  for (std::uint64_t* const number : {&sizes.size, &sizes.stored_size, &sizes.local_begin})
    if (*number == see_zip64) wanted[count++] = number;
  while (count > 0) {
    check(extra.size() >= extra_bytes, entry_titled(name), ": no ZIP64 field for its sizes");
    Fields fields(extra);
    const std::uint16_t kind = fields.u16(), bytes = fields.u16();
    check(bytes <= extra.size() - extra_bytes, entry_titled(name), ": an extra field of ", bytes,
          " bytes, ", extra.size() - extra_bytes, " are left");
    if (kind == zip64_field) {
      check(bytes >= 8 * count, entry_titled(name), ": a ZIP64 field of ", bytes,
            " bytes, expected ", 8 * count);
      for (std::size_t i = 0; i < count; ++i) *wanted[i] = fields.u64();
      return;
    }
    extra.remove_prefix(extra_bytes + bytes);
  }
}

struct Extent {  // of an entry in the file, from its local header to the end of its data
  std::uint64_t begin, end;
  std::size_t entry;
};

// Reads the header at the beginning of `rest`, which is what is left of the central directory, and
// removes it. `file`: the archive before the central directory.
std::pair<ZipEntry, Extent> read_entry(std::string_view file, std::string_view& rest,
                                       std::uint32_t& crc) {
  check(rest.size() >= central_bytes, "the central directory ends within an entry");
  Fields header(rest);
  const std::uint32_t signature = header.u32();
  header.skip(4);  // versions
  const std::uint16_t flags = header.u16(), method = header.u16();
  header.skip(4);  // time and date
  crc = header.u32();
  Sizes sizes{};
  sizes.stored_size = header.u32();
  sizes.size = header.u32();
  const std::size_t name_bytes = header.u16(), all_extra_bytes = header.u16(),
                    comment_bytes = header.u16();
  const std::uint16_t disk = header.u16();
  header.skip(6);  // attributes
  sizes.local_begin = header.u32();
  if (signature != central_signature)
    fail("the central directory has 0x", hex(signature, 8), " where an entry is expected");
  check(name_bytes + all_extra_bytes + comment_bytes <= rest.size() - central_bytes,
        "the central directory ends within an entry");
  const std::string_view name = rest.substr(central_bytes, name_bytes);
  read_zip64(sizes, rest.substr(central_bytes + name_bytes, all_extra_bytes), name);
  rest.remove_prefix(central_bytes + name_bytes + all_extra_bytes + comment_bytes);

  check(method == 0 && sizes.size == sizes.stored_size, entry_titled(name),
        ": compressed by method ", method, " from ", sizes.size, " to ", sizes.stored_size,
        " bytes, expected it stored as it is (method 0)");
  if ((flags & ~(with_descriptor | utf8_name)) != 0 || disk != 0)
    fail(entry_titled(name), ": flags 0x", hex(flags, 4), " in part ", disk,
         ", expected it not encrypted and in part 0");

  check(sizes.local_begin <= file.size() && file.size() - sizes.local_begin >= local_bytes,
        entry_titled(name), ": local header at byte ", sizes.local_begin,
        ", but the central directory begins at ", file.size());
  const std::size_t begin = unsigned_size(sizes.local_begin);
  Fields local(file.substr(begin));
  const std::uint32_t local_signature_there = local.u32();
  local.skip(22);  // versions, flags, method, time, CRC-32 and sizes: see the central directory
  const std::size_t local_name_bytes = local.u16();
  const std::uint64_t data = std::uint64_t{begin} + local_bytes + local_name_bytes + local.u16();
  check(local_signature_there == local_signature &&
            file.substr(begin + local_bytes, local_name_bytes) == name,
        entry_titled(name), ": another entry's header, or none, at byte ", begin);
  check(data <= file.size() && sizes.size <= file.size() - data, entry_titled(name), " wants ",
        sizes.size, " bytes from byte ", data, ", but the central directory begins at ",
        file.size());
  return {{std::string(name), file.substr(unsigned_size(data), unsigned_size(sizes.size))},
          {begin, data + sizes.size, 0}};
}

}  // namespace

ZipFile::ZipFile(std::string_view file) {
  const Directory directory = read_end(file);
  const std::string_view before = file.substr(0, unsigned_size(directory.begin));
  std::string_view rest =
      file.substr(unsigned_size(directory.begin), unsigned_size(directory.size));
  std::vector<Extent> extents;
  std::vector<std::uint32_t> expected, found;
  for (std::size_t i = 0; i < directory.entries; ++i) {
    auto [entry, extent] = read_entry(before, rest, expected.emplace_back());
    extent.entry = i;
    extents.push_back(extent);
    check(index_.emplace(entry.name, i).second, entry_titled(entry.name),
          ": there are two of this name");
    entries_.push_back(std::move(entry));
  }
  check(rest.empty(), "the central directory goes on after its last entry, by ",
        engine::counted(std::ssize(rest), "byte"));

  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < extents.size(); ++i)
    check(extents[i - 1].end <= extents[i].begin, entry_titled(entries_[extents[i].entry].name),
          " begins at byte ", extents[i].begin, ", within ",
          entry_titled(entries_[extents[i - 1].entry].name));

  found.resize(entries_.size());
  // Threads for files of 1 MiB and more, which take 0.3 ms.
  const Index grain = file.size() < (1 << 20) ? std::ssize(entries_) : 1;
  engine::parallel_for(std::ssize(entries_), std::max<Index>(grain, 1),
                       [&](Index begin, Index end) {
                         for (Index i = begin; i < end; ++i)
                           engine::at(found, i) = crc32(engine::at(entries_, i).data);
                       });
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (found[i] != expected[i])
      fail(entry_titled(entries_[i].name), " is damaged: its CRC-32 is ", hex(found[i], 8),
           ", expected ", hex(expected[i], 8));
}

const ZipEntry* ZipFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

void ZipWriter::add(std::string_view name, std::vector<std::string_view> pieces) {
  check(name.size() < see_zip64_16, entry_titled(name), ": a name of ", name.size(), " bytes");
  Entry entry{std::string(name), std::move(pieces), 0, 0, {}};
  for (const std::string_view piece : entry.pieces) {
    entry.size += piece.size();
    entry.crc = crc32(piece, entry.crc);
  }
  entries_.push_back(std::move(entry));
}

void ZipWriter::add(std::string_view name, std::string_view data) {
  add(name, std::vector<std::string_view>{data});
}

std::vector<std::string_view> ZipWriter::pieces() {
  // A number as 32 bits, or the mark that the ZIP64 field has it.
  const auto short_number = [](std::uint64_t number) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, see_zip64));
  };
  directory_.clear();
  std::uint64_t at = 0;
  for (Entry& entry : entries_) {
    const std::uint64_t begin = at;
    const bool long_size = entry.size >= see_zip64, long_begin = begin >= see_zip64;
    const auto name_bytes = static_cast<std::uint16_t>(entry.name.size());
    const std::uint16_t version = long_size || long_begin ? version_zip64 : version_2;
    const std::uint16_t stored = 0, midnight = 0;
    std::string sizes;  // the ZIP64 field
    if (long_size) append(sizes, entry.size, entry.size);

    const std::uint64_t field = sizes.empty() ? 0 : extra_bytes + sizes.size();
    const std::uint64_t header = local_bytes + name_bytes + field + extra_bytes;
    const std::uint64_t padding = engine::round_up(begin + header, alignment) - (begin + header);
    std::string& local = entry.local_header;
    local.clear();
    append(local, local_signature, version, utf8_name, stored, midnight, january_1_1980, entry.crc,
           short_number(entry.size), short_number(entry.size), name_bytes,
           static_cast<std::uint16_t>(field + extra_bytes + padding));
    local += entry.name;
    if (long_size) append(local, zip64_field, static_cast<std::uint16_t>(sizes.size()));
    local += sizes;
    append(local, padding_field, static_cast<std::uint16_t>(padding));
    local.append(unsigned_size(padding), 'Z');
    at = begin + local.size() + entry.size;

    if (long_begin) append(sizes, begin);
    const std::uint16_t comment_bytes = 0, disk = 0, internal_attributes = 0;
    const std::uint32_t external_attributes = 0;
    append(directory_, central_signature, version, version, utf8_name, stored, midnight,
           january_1_1980, entry.crc, short_number(entry.size), short_number(entry.size),
           name_bytes, static_cast<std::uint16_t>(sizes.empty() ? 0 : extra_bytes + sizes.size()),
           comment_bytes, disk, internal_attributes, external_attributes, short_number(begin));
    directory_ += entry.name;
    if (!sizes.empty()) append(directory_, zip64_field, static_cast<std::uint16_t>(sizes.size()));
    directory_ += sizes;
  }

  const std::uint64_t entries = entries_.size(), size = directory_.size(), end = at + size;
  const auto short_entries =
      static_cast<std::uint16_t>(std::min<std::uint64_t>(entries, see_zip64_16));
  const std::uint32_t disk = 0, parts = 1;
  if (short_entries == see_zip64_16 || size >= see_zip64 || at >= see_zip64) {
    append(directory_, end64_signature, end64_bytes - 12, version_zip64, version_zip64, disk, disk,
           entries, entries, size, at);
    append(directory_, locator_signature, disk, end, parts);
  }
  const std::uint16_t part = 0, comment_bytes = 0;
  append(directory_, end_signature, part, part, short_entries, short_entries, short_number(size),
         short_number(at), comment_bytes);

  std::vector<std::string_view> pieces;
  for (const Entry& entry : entries_) {
    pieces.push_back(entry.local_header);
    pieces.insert(pieces.end(), entry.pieces.begin(), entry.pieces.end());
  }
  pieces.push_back(directory_);
  return pieces;
}

}  // namespace model
