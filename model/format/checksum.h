// XXH64 with seed 0, after its public specification: a 64-bit checksum that other tools compute
// too, fast enough (about 7 GB/s) to run over a checkpoint at every save. It detects damaged files,
// not forged ones.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace model {

class Checksum {
 public:
  // Appends bytes. Calls may cut a sequence of bytes anywhere: the value is the same.
  void update(std::string_view bytes);
  std::uint64_t value() const;  // of all bytes so far

  static constexpr std::size_t stripe = 32;  // four lanes of eight bytes

 private:
  std::array<std::uint64_t, 4> lanes_ = initial();
  std::array<char, stripe> rest_{};  // the last total_ % stripe bytes, not mixed in yet
  std::uint64_t total_ = 0;

  static std::array<std::uint64_t, 4> initial();
};

std::uint64_t checksum(std::string_view bytes);

// 16 hexadecimal digits with small letters, as stored in files.
std::string checksum_text(std::uint64_t value);

}  // namespace model
