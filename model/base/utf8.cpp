#include "model/base/utf8.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <iomanip>

namespace model {

using engine::at;

namespace {

bool is_code_point(char32_t value) {
  return value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](Index i) { return static_cast<unsigned char>(at(text, i)); };
  if (byte(0) < 0x80) return {byte(0), 1};

  // The first byte gives the length: 110xxxxx 2, 1110xxxx 3, 11110xxx 4 bytes. Each further byte,
  // 10xxxxxx, adds six bits.
  const int bytes = byte(0) >> 5 == 6 ? 2 : byte(0) >> 4 == 14 ? 3 : byte(0) >> 3 == 30 ? 4 : 0;
  if (bytes == 0 || std::ssize(text) < bytes) return {};
  char32_t value = byte(0) & (0x7Fu >> bytes);
  for (int i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 2) return {};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[bytes] || !is_code_point(value)) return {};
  return {value, bytes};
}

std::string not_utf8(std::string_view text, std::size_t at) {
  return joined("byte ", at, ": 0x", std::hex, std::setw(2), std::setfill('0'),
                int{static_cast<unsigned char>(text[at])}, " is not UTF-8");
}

CodePoint checked_code_point(std::string_view text, std::size_t at) {
  const CodePoint point = first_code_point(text.substr(at));
  if (point.bytes == 0) fail(not_utf8(text, at));
  return point;
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII characters at a time.
    if (std::uint64_t eight = 0; text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const CodePoint point = first_code_point(text.substr(at));
    if (point.bytes == 0) break;
    at += point.size();
  }
  return at;
}

Index count_broken_bytes(std::string_view text) {
  Index broken = 0;
  for (text.remove_prefix(valid_utf8_prefix(text)); !text.empty();
       text.remove_prefix(valid_utf8_prefix(text))) {
    ++broken;
    text.remove_prefix(1);
  }
  return broken;
}

std::size_t complete_utf8_prefix(std::string_view text) {
  // A code point has at most 4 bytes: an incomplete one begins within the last three bytes.
  for (std::size_t cut = 1; cut <= std::min<std::size_t>(3, text.size()); ++cut) {
    const auto byte = static_cast<unsigned char>(text[text.size() - cut]);
    if (byte >> 6 == 2) continue;
    const std::size_t bytes = byte >> 5 == 6 ? 2 : byte >> 4 == 14 ? 3 : byte >> 3 == 30 ? 4 : 1;
    return bytes > cut ? text.size() - cut : text.size();
  }
  return text.size();
}

namespace {

// Whether a byte is the first of a character's.
bool begins_character(char byte) { return static_cast<unsigned char>(byte) >> 6 != 2; }

}  // namespace

Index count_characters(std::string_view bytes) {
  return std::ranges::count_if(bytes, begins_character);
}

std::size_t first_characters(std::string_view text, Index count) {
  const auto end =
      std::ranges::find_if(text, [&](char byte) { return begins_character(byte) && count-- == 0; });
  return unsigned_size(end - text.begin());
}

void append_utf8(std::string& text, char32_t value) {
  assert(is_code_point(value));
  const auto more = [&](int shift) { text += static_cast<char>(0x80 | (value >> shift & 0x3F)); };
  if (value < 0x80) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xC0 | value >> 6);
    more(0);
  } else if (value < 0x10000) {
    text += static_cast<char>(0xE0 | value >> 12);
    more(6);
    more(0);
  } else {
    text += static_cast<char>(0xF0 | value >> 18);
    more(12);
    more(6);
    more(0);
  }
}

std::string code_point_name(char32_t value) {
  if (value >= ' ' && value <= '~') return {'\'', static_cast<char>(value), '\''};
  return joined("U+", std::hex, std::uppercase, std::setw(4), std::setfill('0'),
                std::uint32_t{value});
}

}  // namespace model
