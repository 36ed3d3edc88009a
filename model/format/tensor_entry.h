// A tensor in a file: its name, its shape and a view of its bytes; and the number formats of files.
//
//     f64, f32   IEEE 754
//     f16        1 bit of sign, 5 of exponent, 10 of fraction
//     bf16       the upper half of an f32: 8 bits of exponent, 7 of fraction
//     q8_0       llama.cpp's: 32 numbers of a row share an f16 d and are 8-bit integers times d;
//                34 bytes, d first
//
// and the integers of other programs' buffers, whose values are never read. Values are row-major,
// little-endian, at any alignment. Errors are engine::Error and name the tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/real.h"

namespace model {

using engine::Index;

enum class Dtype { f32, f64, f16, bf16, q8_0, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

// A dtype stores `count` numbers together in `bytes` bytes.
struct NumberFormat {
  std::string_view name;  // safetensors' and GGUF's: F32
  Index count, bytes;
};
const NumberFormat& format_of(Dtype dtype);
std::optional<Dtype> dtype_named(std::string_view name);

// Bytes of a tensor of this shape; nullopt if their number does not fit 63 bits, or if a row cannot
// be divided into the dtype's blocks.
std::optional<std::int64_t> bytes_of(std::span<const Index> shape, Dtype dtype);

struct TensorEntry {
  std::string name;
  Dtype dtype;
  std::vector<Index> shape;
  std::string_view data;  // the elements' bytes

  Index count() const;  // number of elements
};

// Converts the entry's entry.count() elements to engine::real. An error if one is not finite.
void copy_values(const TensorEntry& entry, std::span<engine::real> values);

// The values as the dtype stores them: f32, or f16, bf16 (rounded to nearest, ties to even) or q8_0
// (rows of a multiple of 32). An error, naming `tensor`, if a value is too large for f16.
engine::FileBytes stored(Dtype dtype, std::span<const engine::real> values,
                         std::string_view tensor);

// For messages: `(2, 3)`.
std::string shape_text(std::span<const Index> shape);

}  // namespace model
