// What the reader and the writer of GGUF have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/utf8.h"
#include "model/format/tensor_entry.h"

namespace model::gguf {

inline constexpr std::string_view magic = "GGUF";
inline constexpr std::string_view alignment_key = "general.alignment";
inline constexpr std::uint64_t default_alignment = 32;
inline constexpr std::uint32_t max_axes = 4;

// A tensor's type by its number in files. Other numbers belong to types that nobody uses any more,
// or that are newer than this table.
struct NumberedDtype {
  std::uint32_t number;
  Dtype dtype;
};
inline constexpr NumberedDtype dtypes[] = {
    {0, Dtype::f32},   {1, Dtype::f16},   {2, Dtype::q4_0},  {3, Dtype::q4_1},  {6, Dtype::q5_0},
    {7, Dtype::q5_1},  {8, Dtype::q8_0},  {9, Dtype::q8_1},  {10, Dtype::q2_k}, {11, Dtype::q3_k},
    {12, Dtype::q4_k}, {13, Dtype::q5_k}, {14, Dtype::q6_k}, {15, Dtype::q8_k}, {24, Dtype::i8},
    {25, Dtype::i16},  {26, Dtype::i32},  {27, Dtype::i64},  {28, Dtype::f64},  {30, Dtype::bf16}};

inline std::optional<std::uint32_t> number_of(Dtype dtype) {
  for (const NumberedDtype& known : dtypes)
    if (known.dtype == dtype) return known.number;
  return std::nullopt;
}

inline bool is_utf8(std::string_view text) {
  return engine::valid_utf8_prefix(text) == text.size();
}

// How messages name a key, made when it is written: `key "general.name"`.
struct KeyTitle {
  std::string_view key;
};
inline KeyTitle key_title(std::string_view key) { return {key}; }
inline std::ostream& operator<<(std::ostream& out, KeyTitle title) {
  return out << "key " << engine::in_quotes(title.key);
}

}  // namespace model::gguf
