// Whole safetensors files. put_right makes a damaged one consistent again, in its header's length
// and its checksum, so that a fuzzer's mutations reach what lies behind those two checks.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "model/format/checksum.h"
#include "model/format/safetensors.h"
#include "tests/pieces.h"

namespace fuzz {

// The bytes of the object that begins at `begin`, by its braces; 0 if it has no end. Its branches
// say nothing about the parser, so they need not be counted.
#if defined(__clang__)
[[clang::no_sanitize("coverage")]]
#endif
inline std::size_t
object_size(std::string_view bytes, std::size_t begin) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = begin; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && c == '{')
      ++depth;
    else if (!in_string && c == '}' && --depth == 0)
      return i + 1 - begin;
  }
  return 0;
}

inline std::string put_right(std::string_view bytes) {
  std::string file(bytes);
  constexpr std::size_t header = 8;
  if (file.size() > header)
    if (std::uint64_t length = object_size(file, header)) {
      // The padding, and no more: the first value may well begin with a space.
      while (length % 8 != 0 && header + length < file.size() && file[header + length] == ' ')
        ++length;
      std::memcpy(file.data(), &length, header);
    }
  constexpr std::string_view key = "\"checksum\":\"", zeros = "0000000000000000";
  const std::size_t key_at = file.find(key), at = key_at + key.size();
  if (key_at == std::string::npos || at + zeros.size() > file.size()) return file;
  file.replace(at, zeros.size(), zeros);
  return file.replace(at, zeros.size(), model::checksum_text(model::checksum(file)));
}

}  // namespace fuzz
