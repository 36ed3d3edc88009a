// What the reader and the writer of GGUF have in common.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/check.h"
#include "engine/base/utf8.h"

namespace model::gguf {

inline constexpr std::string_view magic = "GGUF";
inline constexpr std::string_view alignment_key = "general.alignment";
inline constexpr std::uint64_t default_alignment = 32;
inline constexpr std::uint32_t max_axes = 4;

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
