// Writes GGUF, the files of llama.cpp: keys with typed values, tokenizer included, and named
// tensors. Version 3, little-endian.
//
//     4 bytes   GGUF
//     u32       version
//     u64 u64   number of tensors, number of keys
//     keys      each: string name, u32 type, value
//     tensors   each: string name, u32 axes, u64 size of each axis, the last one (of neighbors in
//               memory) first, u32 type, u64 offset of the data
//     padding   zeros up to a multiple of 32
//     data      each tensor's at a multiple of 32, zeros behind the last; offsets count from here
//
// A string is its u64 length and UTF-8. A value is a number, a truth value (one byte 0 or 1), a
// string, or an array: u32 type of the elements, u64 count, the elements.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/words.h"
#include "model/format/tensor_entry.h"

namespace model {

// The types of values that are written, with their numbers in files.
enum class GgufType : std::uint32_t { u32 = 4, i32 = 5, f32 = 6, boolean = 7, text = 8, array = 9 };

class GgufWriter {
 public:
  // Call once for each key. Throws Error, naming the key, if a text is not UTF-8.
  void add_text(std::string_view key, std::string_view value);
  void add_integer(std::string_view key, std::uint32_t value);
  void add_number(std::string_view key, float value);
  void add_boolean(std::string_view key, bool value);
  void add_texts(std::string_view key, std::span<const std::string> values);
  void add_integers(std::string_view key, std::span<const std::int32_t> values);

  // Call once for each name. `shape` is row-major; the dtype must have a number in
  // DtypeLayout::gguf. Keeps a view of the bytes, which must stay valid until the pieces are
  // written.
  void add(std::string_view name, std::vector<Index> shape, Dtype dtype, std::string_view bytes);

  // The bytes of the file in pieces: views of this writer's header, of the tensors' bytes and of
  // zeros between them.
  std::vector<std::string_view> pieces();

 private:
  void begin_key(std::string_view key, GgufType type);
  void begin_array(std::string_view key, GgufType type, std::size_t count);

  std::string keys_;  // as in the file
  std::uint64_t key_count_ = 0;
  std::vector<TensorEntry> tensors_;
  std::string header_;
};

}  // namespace model
