// GGUF, llama.cpp's format: keys with values, then tensors, in one file. Version 3:
//
//     "GGUF", u32 version, u64 number of tensors, u64 number of keys
//     for each key       string key, u32 type, value
//     for each tensor    string name, u32 number of axes, u64 sizes (the last axis first), u32
//                        type, u64 offset from the beginning of the data
//     padding            to a multiple of general.alignment (32)
//     data               the tensors, each at a multiple of general.alignment
//
// A string is a u64 length and its bytes; an array a u32 type of its elements, a u64 length and the
// elements. All numbers are little-endian.
//
// Reader and writer copy no tensor: what they return are views of the bytes they were given. Errors
// are engine::Error and name the key or the tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/tensor_entry.h"

namespace model {

class GgufFile {
 public:
  // Checks the whole file: every length against the bytes that are there, no key and no tensor
  // twice, no two tensors in the same place. Keeps views of `file`.
  explicit GgufFile(std::string_view file);

  // In the order of the file, with their shapes in our order: (rows, columns).
  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  const TensorEntry* find(std::string_view name) const;  // null if there is none

  bool contains(std::string_view key) const { return values_.contains(key); }
  // The value of a key, which must be there and be of that kind; number() takes integers too.
  Index integer(std::string_view key) const;
  double number(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string_view text(std::string_view key) const;
  // The elements of an array.
  std::vector<std::string_view> texts(std::string_view key) const;
  std::vector<Index> integers(std::string_view key) const;

 private:
  struct Value {
    std::uint32_t type, element_type;  // element_type: of an array
    std::uint64_t count;               // of an array's elements
    std::string_view bytes;            // of the value, or of the elements
  };
  const Value& value(std::string_view key) const;

  std::map<std::string_view, Value> values_;
  std::vector<TensorEntry> tensors_;
  std::map<std::string_view, std::size_t> index_;  // name -> index in tensors_

  class Reader;
};

class GgufWriter {
 public:
  void add_text(std::string_view key, std::string_view value);
  void add_integer(std::string_view key, std::uint32_t value);
  void add_number(std::string_view key, float value);
  void add_boolean(std::string_view key, bool value);
  void add_texts(std::string_view key, const std::vector<std::string>& values);
  void add_integers(std::string_view key, const std::vector<std::int32_t>& values);
  // Keeps a view of the bytes, which must stay valid until the pieces are written.
  void add(std::string_view name, std::vector<Index> shape, Dtype dtype, std::string_view bytes);

  // The bytes of the file in pieces: views of this writer's header and of the tensors' values.
  std::vector<std::string_view> pieces();

 private:
  void begin(std::string_view key, std::uint32_t type);

  std::string values_, header_;
  std::uint64_t value_count_ = 0;
  std::vector<TensorEntry> tensors_;
};

}  // namespace model
