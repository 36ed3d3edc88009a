#include "model/exchange/container/crc32.h"

#include <array>

#include "model/format/bytes.h"

namespace model {

namespace {

// CRC-32 is the remainder of a division of polynomials over GF(2), bits reversed: by
// x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1.
constexpr std::uint32_t polynomial = 0xEDB88320;
constexpr std::size_t slices = 16;

// crc_table[k][b]: the remainder of byte b followed by k zero bytes. The remainder of a sum is the
// sum of the remainders, so 16 bytes take 16 independent lookups.
constexpr auto crc_table = [] {
  std::array<std::array<std::uint32_t, 256>, slices> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1) * polynomial;
    table[0][byte] = rest;
  }
  for (std::size_t k = 1; k < slices; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t rest = table[k - 1][byte];
      table[k][byte] = rest >> 8 ^ table[0][rest & 0xFF];
    }
  return table;
}();

// The remainder of the 8 bytes of `word` followed by `zeros` zero bytes.
std::uint32_t remainder(std::uint64_t word, std::size_t zeros) {
  std::uint32_t rest = 0;
  for (std::size_t i = 0; i < 8; ++i) rest ^= crc_table[zeros + 7 - i][word >> 8 * i & 0xFF];
  return rest;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  for (; bytes.size() >= slices; bytes.remove_prefix(slices)) {
    rest = remainder(load<std::uint64_t>(bytes.data()) ^ rest, 8) ^
           remainder(load<std::uint64_t>(bytes.data() + 8), 0);
  }
  for (const char c : bytes)
    rest = rest >> 8 ^ crc_table[0][(rest ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~rest;
}

}  // namespace model
