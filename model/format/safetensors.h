// The safetensors format: named tensors and a few strings in one file that no reader executes.
//
//     8 bytes   N, the header's length, little-endian
//     N bytes   {"__metadata__": {"key": "value", ...},
//                "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//     the rest  the tensors' values, row-major, little-endian; offsets count from here
//
// Our files have the metadata key `checksum` as well: XXH64 of the whole file, its own 16 digits
// read as zeros; and spaces after the header make N a multiple of 8.
//
// Bytes are only looked at: the reader's tensors are views into the bytes it was given, the
// writer's pieces views of what it was told. Every error is an engine::Error that names the tensor.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/real.h"

namespace model {

using engine::Index;

enum class Dtype { f32, f64 };

using Metadata = std::map<std::string, std::string, std::less<>>;

struct TensorEntry {
  std::string name;
  Dtype dtype;
  std::vector<Index> shape;
  std::string_view data;  // as many bytes as dtype and shape ask for, at any alignment

  Index count() const;  // of its elements
};

enum class ChecksumRule { required, if_present };

class SafetensorsFile {
 public:
  // Checks everything before it returns: afterwards each tensor's bytes are there, no two tensors
  // share one, and each byte of the file belongs to the header or to a tensor. `file` must outlive
  // this.
  explicit SafetensorsFile(std::string_view file, ChecksumRule rule = ChecksumRule::required);

  const std::vector<TensorEntry>& tensors() const { return tensors_; }  // as they lie in the file
  const TensorEntry* find(std::string_view name) const;                 // null if it is not there
  const Metadata& metadata() const { return metadata_; }                // without the checksum

 private:
  std::vector<TensorEntry> tensors_;
  std::map<std::string, std::size_t, std::less<>> index_;  // in tensors_, by name
  Metadata metadata_;
};

// The entry's values in this build's type, entry.count() of them. An error if one is not finite.
void copy_values(const TensorEntry& entry, std::span<engine::real> values);

class SafetensorsWriter {
 public:
  // Both must be UTF-8; `checksum` is taken.
  void add_metadata(std::string_view key, std::string_view value);
  // The values must stay where they are until the pieces are written.
  void add(std::string_view name, std::vector<Index> shape, std::span<const float> values);
  void add(std::string_view name, std::vector<Index> shape, std::span<const double> values);

  // The file, to be written piece after piece. Views of this writer and of the tensors' values.
  std::vector<std::string_view> pieces();

 private:
  Metadata metadata_;
  std::vector<TensorEntry> tensors_;
  std::string header_;
};

// `(2, 3)`, for messages.
std::string shape_text(std::span<const Index> shape);

}  // namespace model
