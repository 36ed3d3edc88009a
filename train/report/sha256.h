// SHA-256 (FIPS 180-4), with which a page's policy identifies its own script and style.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace train {

std::array<std::uint8_t, 32> sha256(std::string_view bytes);

// RFC 4648: three bytes become four characters; `=` stands for missing ones at the end.
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace train
