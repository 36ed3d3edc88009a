// A tensor as a file holds it: a name, a shape and bytes in one of several formats. Shared by the
// readers and writers of all files of tensors.
//
// Weights may be float, double or one of three other formats, which are converted here from and to
// real (Q8_0, which only .gguf files have, is only written):
//
//     F16, BF16   16 bits each: float16.h
//     Q8_0        blocks of 32 neighbors x in 34 bytes: a float16 scale d = max |x| / 127, then
//                 32 bytes q = x / d, rounded; d q stands for x. A row, the elements of the
//                 last axis, is a whole number of blocks. As llama.cpp's quantize_row_q8_0_ref.
//
// Files of other programs also hold tensors of integers and bytes: the size of their data is
// checked, and their values are never converted.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/real.h"
#include "model/base/words.h"

namespace model {

// clang-format off
enum class Dtype {
  f32, f64, f16, bf16, q8_0,                      // weights
  i64, i32, i16, i8, u64, u32, u16, u8, boolean,  // whole numbers
  f8_e4m3, f8_e5m2,                               // a byte each
};
// clang-format on
constexpr int dtype_count = static_cast<int>(Dtype::f8_e5m2) + 1;

struct DtypeLayout {
  Dtype dtype;
  std::string_view name;                   // in .safetensors files and messages: "F32"
  Index block;                             // elements in a block, as they are stored
  Index bytes;                             // bytes of a block
  std::optional<std::uint32_t> gguf = {};  // its number in .gguf files, if written there
};
const DtypeLayout& layout(Dtype dtype);

// The dtype with this value in the column, if there is one.
template <class Column>
std::optional<Dtype> dtype_with(Column DtypeLayout::*column, std::type_identity_t<Column> value) {
  for (int i = 0; i < dtype_count; ++i)
    if (const auto dtype = static_cast<Dtype>(i); layout(dtype).*column == value) return dtype;
  return std::nullopt;
}

struct TensorEntry {
  std::string name;
  Dtype dtype;
  std::vector<Index> shape;
  std::string_view data;     // the elements' bytes, at any alignment
  std::uint64_t offset = 0;  // of the data in the file that was read

  Index count() const;  // number of elements
};

// Readers look at the number of axes before they read a shape.
constexpr Index most_axes = 8;

// The tensors of a file, or of several, by their names.
class TensorSet {
 public:
  TensorSet() = default;
  explicit TensorSet(std::vector<TensorEntry> entries);  // an error if two have one name

  // In the order of their data.
  const std::vector<TensorEntry>& entries() const { return entries_; }
  const TensorEntry* find(std::string_view name) const;  // null if there is none
  Index count() const;                                   // elements of all tensors

 private:
  std::vector<TensorEntry> entries_;
  std::vector<std::uint32_t> names_;  // their order by name
};

// Bytes of a tensor of this shape; nullopt if they do not fit in 63 bits. Throws Error, naming the
// tensor, if its rows are not whole blocks.
std::optional<Index> bytes_of(std::string_view name, std::span<const Index> shape, Dtype dtype);

// An entry with the bytes `data`. Throws Error if the shape needs another number of bytes.
TensorEntry make_entry(std::string_view name, std::vector<Index> shape, Dtype dtype,
                       std::string_view data);

// Converts the entry's entry.count() elements to engine::real, on all threads. An error if one is
// not finite, or if the entry's dtype is not F32, F64, F16 or BF16.
void copy_values(const TensorEntry& entry, std::span<engine::real> values);

// The inverse: the values' bytes in the format of a dtype for weights. Throws Error, naming the
// tensor and the element, if a value is not finite or too large for the format.
void encode(std::string_view name, Dtype dtype, std::span<const engine::real> values,
            std::span<char> bytes);

// For messages, made when they are written: `tensor "x"`, `2^63 or more` (of bytes_of), `(2, 3)`.
struct TensorTitle {
  std::string_view tensor;
};
struct BytesText {
  std::optional<Index> bytes;
};
struct ShapeText {
  std::span<const Index> shape;
};
inline TensorTitle titled(std::string_view tensor) { return {tensor}; }
inline BytesText bytes_text(std::optional<Index> bytes) { return {bytes}; }
inline ShapeText shape_text(std::span<const Index> shape) { return {shape}; }
std::ostream& operator<<(std::ostream& out, TensorTitle title);
std::ostream& operator<<(std::ostream& out, BytesText text);
std::ostream& operator<<(std::ostream& out, ShapeText text);

std::string shape_json(std::span<const Index> shape);  // `[2, 3]`

}  // namespace model
