// GGUF, the files of llama.cpp: keys with typed values, tokenizer included, and named tensors, many
// of them in few bits per value. Version 3, of which 2 differs only in its number; little-endian.
//
//     4 bytes   GGUF
//     u32       version
//     u64 u64   number of tensors, number of keys
//     keys      each: string name, u32 type, value
//     tensors   each: string name, u32 axes, u64 size of each axis, the last one (of neighbours in
//               memory) first, u32 type, u64 offset of the data
//     padding   zeros up to a multiple of general.alignment (a key; 32 without it)
//     data      each tensor's at a multiple of the alignment; offsets count from here
//
// A string is its u64 length and UTF-8. A value is a number, a truth value (one byte 0 or 1), a
// string, or an array: u32 type of the elements, u64 count, the elements. (The format knows arrays
// of arrays; no program writes them, and they are refused here as llama.cpp refuses them.)
//
// Reader and writer copy no tensor; the reader copies no value before it is asked for. Errors are
// engine::Error and name the tensor or the key.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/format/tensor_entry.h"

namespace model {

// By its number in files.
// clang-format off
enum class GgufType : std::uint32_t {
  u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64
};
// clang-format on

class GgufFile {
 public:
  // Checks the whole file: every length against the bytes that are there, every string and truth
  // value, and that no two tensors overlap. Keeps views of `file`.
  explicit GgufFile(std::string_view file);

  // In the order of their data in the file; shapes row-major, as in PyTorch.
  const std::vector<TensorEntry>& tensors() const { return set_.entries(); }
  const TensorEntry* find(std::string_view name) const { return set_.find(name); }

  std::vector<std::string_view> keys() const;  // sorted
  bool contains(std::string_view key) const;

  // The value under `key`. An error if there is none or it has another type.
  std::int64_t integer(std::string_view key) const;  // of any width, below 2^63
  double number(std::string_view key) const;         // integers too
  bool boolean(std::string_view key) const;
  std::string_view text(std::string_view key) const;
  std::vector<std::int64_t> integers(std::string_view key) const;  // an array
  std::vector<std::string_view> texts(std::string_view key) const;

 private:
  struct Key {
    std::string_view name;
    bool is_array;
    GgufType type;           // of the value, or of the elements of an array
    Index count;             // of elements; 1 if it is not an array
    std::string_view bytes;  // of the elements
  };
  friend class GgufReader;
  const Key* find_key(std::string_view name) const;
  // The key, whose type is_right must accept; `expected` names such types in messages.
  const Key& key(std::string_view name, bool is_array, bool is_right(GgufType),
                 const char* expected) const;

  std::vector<Key> keys_;  // sorted by name
  TensorSet set_;
};

class GgufWriter {
 public:
  // Keys must be UTF-8 and come once; general.alignment is reserved.
  void add_text(std::string_view key, std::string_view value);
  void add_integer(std::string_view key, std::uint32_t value);
  void add_number(std::string_view key, float value);
  void add_boolean(std::string_view key, bool value);
  void add_texts(std::string_view key, std::span<const std::string> values);
  void add_integers(std::string_view key, std::span<const std::int32_t> values);

  // `shape` is row-major, of 1 to 4 axes; the name has at most 63 bytes, for llama.cpp. Keeps a
  // view of the bytes, which must stay valid until the pieces are written.
  void add(std::string_view name, std::vector<Index> shape, Dtype dtype, std::string_view bytes);

  // The bytes of the file in pieces: views of this writer's header, of the tensors' bytes and of
  // zeros between them.
  std::vector<std::string_view> pieces();

 private:
  void begin_key(std::string_view key, GgufType type);
  void begin_array(std::string_view key, GgufType type, std::size_t count);

  std::string keys_;  // as in the file
  std::set<std::string, std::less<>> key_names_, tensor_names_;
  std::vector<TensorEntry> tensors_;
  std::string header_;
};

}  // namespace model
