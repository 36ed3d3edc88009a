// XXH64 (seed 0), by its public specification: a 64-bit checksum that other tools know, and fast
// enough (some 7 GB/s) to run over a checkpoint at every save. It finds damage, not malice.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace model {

class Checksum {
 public:
  // Bytes may come in pieces of any size; only their sequence counts.
  void update(std::string_view bytes);
  std::uint64_t value() const;  // of everything so far

  static constexpr std::size_t stripe = 32;  // four lanes of eight bytes

 private:
  std::array<std::uint64_t, 4> lanes_ = initial();
  std::array<char, stripe> rest_{};  // the last total_ % stripe bytes wait for company
  std::uint64_t total_ = 0;

  static std::array<std::uint64_t, 4> initial();
};

std::uint64_t checksum(std::string_view bytes);

// As it is written in files: 16 hexadecimal digits, small letters.
std::string checksum_text(std::uint64_t value);

}  // namespace model
