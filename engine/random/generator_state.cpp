// A generator's state as text, for checkpoints: hexadecimal digits in fields of fixed width: the
// position (4), whether a normal number is cached (1), its bits or zeros (16), the engine's 624
// words (8 each).
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/check.h"
#include "engine/random/generator.h"

namespace engine {
namespace {

constexpr std::size_t state_length = 4 + 1 + 16 + MersenneTwister::size * 8;

// Parses the first `digits` characters of text and removes them.
std::uint64_t take_hex(std::string_view& text, std::size_t digits) {
  std::uint64_t value = 0;
  for (const char c : text.substr(0, digits)) {
    const std::size_t digit = hex_digits.find(c);
    check(digit != std::string_view::npos, "generator state: character ",
          static_cast<int>(static_cast<unsigned char>(c)), " is not a hexadecimal digit");
    value = value << 4 | digit;
  }
  text.remove_prefix(digits);
  return value;
}

}  // namespace

std::string Generator::state() const {
  std::string text;
  text += hex(engine_.position(), 4);
  text += hex(cached_normal_.has_value(), 1);
  text += hex(std::bit_cast<std::uint64_t>(cached_normal_.value_or(0)), 16);
  for (const std::uint32_t word : engine_.state()) text += hex(word, 8);
  return text;
}

void Generator::set_state(std::string_view text) {
  check(text.size() == state_length, "generator state: ", text.size(), " characters, expected ",
        state_length);
  const auto position = static_cast<std::size_t>(take_hex(text, 4));
  check(position <= MersenneTwister::size, "generator state: position ", position, " is above ",
        MersenneTwister::size);
  const std::uint64_t is_cached = take_hex(text, 1), bits = take_hex(text, 16);
  const double normal = std::bit_cast<double>(bits);
  check(is_cached == 0 ? bits == 0 : is_cached == 1 && std::isfinite(normal),
        "generator state: the cached normal number is damaged");
  MersenneTwister::Words words;
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(take_hex(text, 8));
  // The recurrence maps a state of zeros to itself, and no seed gives that state. Only the top bit
  // of the first word matters.
  check((words[0] & 0x80000000) != 0 ||
            std::any_of(words.begin() + 1, words.end(), [](std::uint32_t w) { return w != 0; }),
        "generator state: the engine is all zeros");
  engine_ = MersenneTwister(words, position);
  cached_normal_ = is_cached == 1 ? std::optional(normal) : std::nullopt;
}

}  // namespace engine
