// Zip archives for fuzz targets: their pieces as one string, and their checksums made right, so that
// damage gets past them.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/exchange/container/zip.h"
#include "tests/pieces.h"

namespace fuzz {

template <class Number>
std::optional<Number> number_at(std::string_view bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(Number)) return std::nullopt;
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Writes the right CRC-32 into each header of the central directory whose numbers make sense.
inline std::string put_right(std::string_view bytes) {
  std::string file(bytes);
  for (std::size_t at = file.find("PK\1\2"); at < file.size(); at = file.find("PK\1\2", at + 4)) {
    const auto size = number_at<std::uint32_t>(file, at + 24);
    const auto begin = number_at<std::uint32_t>(file, at + 42);
    if (!size || !begin) break;
    const auto name = number_at<std::uint16_t>(file, std::size_t{*begin} + 26);
    const auto extra = number_at<std::uint16_t>(file, std::size_t{*begin} + 28);
    if (!name || !extra) continue;
    const std::size_t data = std::size_t{*begin} + 30 + *name + *extra;
    if (data > file.size() || *size > file.size() - data) continue;
    const std::uint32_t crc = model::crc32(std::string_view(file).substr(data, *size));
    std::memcpy(file.data() + at + 16, &crc, sizeof crc);
  }
  return file;
}

}  // namespace fuzz
