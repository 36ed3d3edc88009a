#include "model/tokenizer/bpe/printable_bytes.h"

#include <array>

#include "model/base/utf8.h"
#include "model/base/words.h"

namespace model {

namespace {

constexpr int last_printable = 0x143;  // the last of 68 characters from U+0100 on

struct Alphabet {
  std::array<char32_t, 256> character_of;
  std::array<int, last_printable + 1> byte_of;  // -1: none
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet{};
  for (int& byte : alphabet.byte_of) byte = -1;
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const bool visible = (byte > 0x20 && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    const char32_t character = visible ? static_cast<char32_t>(byte) : next++;
    engine::at(alphabet.character_of, byte) = character;
    alphabet.byte_of[character] = byte;
  }
  return alphabet;
}

constexpr Alphabet alphabet = make_alphabet();

}  // namespace

std::string printable_bytes(std::string_view bytes) {
  std::string printable;
  for (const char byte : bytes)
    append_utf8(printable, alphabet.character_of[static_cast<unsigned char>(byte)]);
  return printable;
}

std::string bytes_of_printable(std::string_view printable) {
  std::string bytes;
  for (std::size_t at = 0; at < printable.size();) {
    const CodePoint point = checked_code_point(printable, at);
    const int byte = point.value <= last_printable ? alphabet.byte_of[point.value] : -1;
    if (byte < 0) fail(code_point_name(point.value), " in a token stands for no byte");
    bytes += static_cast<char>(byte);
    at += point.size();
  }
  return bytes;
}

}  // namespace model
