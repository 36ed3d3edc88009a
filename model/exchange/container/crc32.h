// The checksum of zip archives, which finds every error in up to 32 neighbouring bits.
#pragma once

#include <cstdint>
#include <string_view>

namespace model {

// `before`: the CRC-32 of the bytes before these.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace model
