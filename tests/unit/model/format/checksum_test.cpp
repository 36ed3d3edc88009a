// XXH64 of texts of every length around its words of 4 and 8 bytes and its stripes of 32, against
// the algorithm as its description has it: one pass over the whole text.
#include "model/format/checksum.h"

#include <string>

#include "tests/catch.h"

namespace {

constexpr std::uint64_t prime[] = {0,
                                   0x9E3779B185EBCA87,
                                   0xC2B2AE3D27D4EB4F,
                                   0x165667B19E3779F9,
                                   0x85EBCA77C2B2AE63,
                                   0x27D4EB2F165667C5};

std::uint64_t number_at(const std::string& text, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value |= std::uint64_t(static_cast<unsigned char>(text[at + i])) << 8 * i;
  return value;
}

std::uint64_t round_of(std::uint64_t accumulator, std::uint64_t lane) {
  return std::rotl(accumulator + lane * prime[2], 31) * prime[1];
}

std::uint64_t plain_xxh64(const std::string& text) {
  std::size_t at = 0;
  std::uint64_t sum = prime[5];
  if (text.size() >= 32) {
    std::uint64_t v[4] = {prime[1] + prime[2], prime[2], 0, 0 - prime[1]};
    for (; at + 32 <= text.size(); at += 32)
      for (std::size_t i = 0; i < 4; ++i) v[i] = round_of(v[i], number_at(text, at + 8 * i, 8));
    sum = std::rotl(v[0], 1) + std::rotl(v[1], 7) + std::rotl(v[2], 12) + std::rotl(v[3], 18);
    for (const std::uint64_t lane : v) sum = (sum ^ round_of(0, lane)) * prime[1] + prime[4];
  }
  sum += text.size();
  for (; at + 8 <= text.size(); at += 8)
    sum = std::rotl(sum ^ round_of(0, number_at(text, at, 8)), 27) * prime[1] + prime[4];
  for (; at + 4 <= text.size(); at += 4)
    sum = std::rotl(sum ^ number_at(text, at, 4) * prime[1], 23) * prime[2] + prime[3];
  for (; at < text.size(); ++at)
    sum = std::rotl(sum ^ number_at(text, at, 1) * prime[5], 11) * prime[1];
  sum ^= sum >> 33;
  sum *= prime[2];
  sum ^= sum >> 29;
  sum *= prime[3];
  return sum ^ sum >> 32;
}

}  // namespace

TEST_CASE("checksum: texts of every length up to five stripes, in pieces of any size") {
  CHECK(plain_xxh64("abc") == 0x44BC2CF5AD770999);  // published, as the next
  CHECK(plain_xxh64("Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1);
  std::string text;
  for (int i = 0; i <= 160; ++i) {
    INFO(text.size() << " bytes");
    const std::uint64_t expected = plain_xxh64(text);
    CHECK(model::checksum(text) == expected);
    for (std::size_t a = 0; a <= text.size(); a += 3)
      for (std::size_t b = a; b <= text.size(); b += 13) {
        model::Checksum sum;
        for (const auto& [begin, end] : {std::pair(std::size_t{0}, a), {a, b}, {b, text.size()}})
          sum.update(std::string_view(text).substr(begin, end - begin));
        CHECK(sum.value() == expected);
      }
    text += static_cast<char>(i * i + 5 * i + 1);
  }
}
