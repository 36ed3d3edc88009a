// The safetensors format: named tensors and a few strings in one file, and no code.
//
//     8 bytes   N, the header's length, little-endian
//     N bytes   {"__metadata__": {"key": "value", ...},
//                "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//     the rest  the tensors' values, row-major, little-endian; offsets count from here
//
// Our files also have the metadata key `checksum`, XXH64 of the whole file with the checksum's own
// 16 digits read as zeros, and spaces at the end of the header that make N a multiple of 8.
//
// Dtypes: F64 F32 F16 BF16, I64 I32 I16 I8, U64 U32 U16 U8, BOOL, F8_E4M3 F8_E5M2; files with the
// format's newer, rarer dtypes are refused.
//
// Reader and writer copy no tensor: what they return are views of the bytes they were given. Errors
// are Error and name the tensor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/number.h"
#include "model/base/utf8.h"
#include "model/base/words.h"
#include "model/format/tensor_entry.h"

namespace model {

using Metadata = std::map<std::string, std::string, std::less<>>;

// The text under `key`; an error if there is none.
const std::string& metadata_text(const Metadata& metadata, std::string_view key);

// `text`, the value of `key`, as a double, a std::uint64_t or an Index, 0 or more. Errors name the
// key, the text and what was expected.
template <class T>
T parse_field(std::string_view key, std::string_view text) {
  T value{};
  check(engine::parse_number(text, value) == engine::Parsed::ok, "metadata \"", key,
        "\": ", in_quotes(text), " is not ",
        std::is_same_v<T, double>  ? "a number"
        : std::is_same_v<T, Index> ? "a whole number"
                                   : "a whole number of 64 bits");
  if constexpr (std::is_same_v<T, Index>)
    check(value >= 0, "metadata \"", key, "\": ", value, " is negative");
  return value;
}
template <class T>
T metadata_value(const Metadata& metadata, std::string_view key) {
  return parse_field<T>(key, metadata_text(metadata, key));
}

// Which program a file is for. A file of gradus has a checksum. A file for other programs is
// written without one, since they do not know the key, and is read with or without one.
enum class FileOf { gradus, others };

class SafetensorsFile {
 public:
  // Checks the whole file: each tensor has the bytes that its shape needs, no two tensors overlap,
  // and every byte belongs to the header or to a tensor. Keeps views of `file`.
  explicit SafetensorsFile(std::string_view file, FileOf owner = FileOf::gradus);

  // In the order of their data in the file.
  const std::vector<TensorEntry>& tensors() const { return set_.entries(); }
  const TensorSet& set() const { return set_; }
  const TensorEntry* find(std::string_view name) const { return set_.find(name); }
  const Metadata& metadata() const { return metadata_; }  // without `checksum`

 private:
  TensorSet set_;
  Metadata metadata_;
};

// For read_large_file: throws if the header is wrong, or does not fit a file of this size. So
// garbage of any size is refused before it is read.
std::size_t look_at_safetensors(std::string_view first, std::int64_t file_size);

// The metadata of one of our files; the whole file is read and checked. Errors name the path.
Metadata read_metadata(const std::string& path);

class SafetensorsWriter {
 public:
  explicit SafetensorsWriter(FileOf owner = FileOf::gradus) : owner_(owner) {}

  // Key and value must be UTF-8; the key `checksum` is reserved.
  void add_metadata(std::string_view key, std::string_view value);
  // Keeps a view of the values, which must stay valid until the pieces are written.
  void add(std::string_view name, std::vector<Index> shape, std::span<const float> values);
  void add(std::string_view name, std::vector<Index> shape, std::span<const double> values);
  void add(std::string_view name, std::vector<Index> shape, Dtype dtype, std::string_view bytes);

  // The bytes of the file in pieces: views of this writer's header and of the tensors' values.
  std::vector<std::string_view> pieces();

 private:
  FileOf owner_;
  Metadata metadata_;
  std::vector<TensorEntry> tensors_;
  std::string header_;
};

}  // namespace model
