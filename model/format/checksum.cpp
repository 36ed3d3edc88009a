#include "model/format/checksum.h"

#include <algorithm>
#include <bit>

#include "engine/base/text.h"
#include "model/base/text.h"
#include "model/format/bytes.h"

namespace model {

namespace {

constexpr std::uint64_t p1 = 0x9E3779B185EBCA87, p2 = 0xC2B2AE3D27D4EB4F, p3 = 0x165667B19E3779F9,
                        p4 = 0x85EBCA77C2B2AE63, p5 = 0x27D4EB2F165667C5;

// A bijection in `word` and in `lane`: changing one of them always changes the result.
std::uint64_t mix(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * p2, 31) * p1;
}

void mix_stripe(std::array<std::uint64_t, 4>& lanes, const char* bytes) {
  for (std::size_t i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], load<std::uint64_t>(bytes + 8 * i));
}

}  // namespace

std::array<std::uint64_t, 4> Checksum::initial() { return {p1 + p2, p2, 0, 0 - p1}; }

void Checksum::update(std::string_view bytes) {
  const std::size_t waiting = total_ % stripe;
  total_ += bytes.size();
  if (waiting + bytes.size() < stripe) {
    std::copy(bytes.begin(), bytes.end(), rest_.data() + waiting);
    return;
  }
  if (waiting > 0) {
    const std::string_view filling = bytes.substr(0, stripe - waiting);
    std::copy(filling.begin(), filling.end(), rest_.data() + waiting);
    mix_stripe(lanes_, rest_.data());
    bytes.remove_prefix(filling.size());
  }
  std::array<std::uint64_t, 4> lanes = lanes_;  // a copy that stays in registers
  for (; bytes.size() >= stripe; bytes.remove_prefix(stripe)) mix_stripe(lanes, bytes.data());
  lanes_ = lanes;
  std::copy(bytes.begin(), bytes.end(), rest_.data());
}

std::uint64_t Checksum::value() const {
  std::uint64_t sum = p5;
  if (total_ >= stripe) {
    sum = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
          std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) sum = (sum ^ mix(0, lane)) * p1 + p4;
  }
  sum += total_;
  std::string_view rest(rest_.data(), total_ % stripe);
  for (; rest.size() >= 8; rest.remove_prefix(8))
    sum = std::rotl(sum ^ mix(0, load<std::uint64_t>(rest.data())), 27) * p1 + p4;
  for (; rest.size() >= 4; rest.remove_prefix(4))
    sum = std::rotl(sum ^ load<std::uint32_t>(rest.data()) * p1, 23) * p2 + p3;
  for (; !rest.empty(); rest.remove_prefix(1))
    sum = std::rotl(sum ^ static_cast<unsigned char>(rest[0]) * p5, 11) * p1;
  sum = (sum ^ sum >> 33) * p2;
  sum = (sum ^ sum >> 29) * p3;
  return sum ^ sum >> 32;
}

std::uint64_t checksum(std::string_view bytes) {
  Checksum sum;
  sum.update(bytes);
  return sum.value();
}

std::string checksum_text(std::uint64_t value) { return hex(value, 16); }

}  // namespace model
