// Functions of a character, tried with every byte and every code point, against lists written by hand
// from Unicode's.
#include <cctype>
#include <functional>
#include <string>
#include <vector>

#include "model/base/text.h"
#include "model/base/utf8.h"
#include "model/format/json.h"
#include "model/tokenizer/unicode.h"
#include "tests/catch.h"
#include "train/report/text.h"
#include "train/system/text.h"
#include "train/text/text_kind.h"

using engine::joined;

namespace {

using Ranges = std::vector<std::pair<char32_t, char32_t>>;

bool is_in(const Ranges& ranges, char32_t c) {
  for (const auto& [first, last] : ranges)
    if (c >= first && c <= last) return true;
  return false;
}

// Controls; U+061C; zero-width characters and marks of direction; separators of lines and paragraphs,
// embeddings; isolates; the byte-order mark.
const Ranges hidden = {{0, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},  {0x200B, 0x200F},
                       {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};
// Spaces that are not U+0020, the soft hyphen, and the same marks; by blocks, with what stands between.
const Ranges invisible = {{0xA0, 0xA0},     {0xAD, 0xAD},     {0x2000, 0x200F}, {0x2028, 0x202F},
                          {0x205F, 0x206F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};

std::string escapes_of(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "\\x%02x", unsigned{static_cast<unsigned char>(byte)});
    text += digits;
  }
  return text;
}

// The code points for which f(code point, its bytes) is not the expected value.
std::string differing(const std::function<bool(char32_t, const std::string&)>& is_right) {
  std::string wrong;
  for (char32_t c = 0; c <= 0x10FFFF; c = c == 0xD7FF ? 0xE000 : c + 1) {
    std::string bytes;
    model::append_utf8(bytes, c);
    if (!is_right(c, bytes)) wrong += model::code_point_name(c) + ' ';
  }
  return wrong.substr(0, 200);
}

}  // namespace

TEST_CASE("every character: in a line of a message, in quotes, and in lines of a terminal") {
  CHECK(differing([](char32_t c, const std::string& bytes) {
          const std::string line = c == '\n'          ? "\\n"
                                   : c == '\t'        ? "\\t"
                                   : is_in(hidden, c) ? escapes_of(bytes)
                                                      : bytes;
          const bool stays = c == '\n' || c == '\t' || c == 0x200C || c == 0x200D;
          return model::printable(bytes) == line &&
                 std::string(model::in_quotes(bytes)) ==
                     (c == '"' || c == '\\' ? "\"\\" + bytes + '"' : '"' + line + '"') &&
                 model::printable_lines(bytes) == (stays ? bytes : line);
        }) == "");
}

TEST_CASE("every character: in a label of the report") {
  CHECK(differing([](char32_t c, const std::string& bytes) {
          char name[16];
          std::snprintf(name, sizeof name, "U+%04X", unsigned{c});
          return train::label_of(bytes) == (c == ' '              ? "␣"
                                            : c == '\n'           ? "⏎"
                                            : c == '\t'           ? "⇥"
                                            : c == '\r'           ? "␍"
                                            : is_in(invisible, c) ? name
                                                                  : bytes);
        }) == "");
}

TEST_CASE("every character: a word of the shell is as it is, quoted, or by its bytes", "[posix]") {
  const std::string plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-./:_,+@";
  CHECK(differing([&](char32_t c, const std::string& bytes) {
          const std::string word = 'a' + bytes;
          return train::shell_word(word) == (is_in(hidden, c) || c == 0xA0
                                                 ? "$'a" + escapes_of(bytes) + '\''
                                             : c >= 0x80 || plain.find(bytes) != plain.npos ? word
                                             : c == '\'' ? "'a'\\'''"
                                                         : '\'' + word + '\'');
        }) == "");
}

TEST_CASE("every character: as a string of JSON, as it is and escaped") {
  CHECK(differing([](char32_t c, const std::string& bytes) {
          const bool is_special = c < 0x20 || c == '"' || c == '\\';
          if (!is_special && model::Json('"' + bytes + '"').root().string() != bytes) return false;
          if (c > 0xFFFF) return true;
          char escape[16];
          std::snprintf(escape, sizeof escape, c % 2 == 0 ? "\"\\u%04X\"" : "\"\\u%04x\"",
                        unsigned{c});
          return model::Json(escape).root().string() == bytes;
        }) == "");
  for (int c = 0; c < 0x20; ++c) CHECK_THROWS(model::Json(std::string("\"") + char(c) + '"'));
}

TEST_CASE("every character: of ASCII, letters, numbers and spaces; others as in Unicode") {
  CHECK(differing([](char32_t c, const std::string& bytes) {
          using enum model::CharacterClass;
          const model::Character found = model::character_at('x' + bytes, 1);
          const int ascii = c < 0x80 ? int(c) : 0;
          return found.size == bytes.size() && found.kind == model::character_class(c) &&
                 (c >= 0x80 || found.kind == (std::isalpha(ascii)   ? letter
                                              : std::isdigit(ascii) ? number
                                              : std::isspace(ascii) ? space
                                                                    : other));
        }) == "");
}

TEST_CASE("every byte: more than one control in thirty bytes makes a file binary, a zero at once") {
  // \a, \b, \t, \n, \v, \f, \r, and from ESC on: what terminals and printers were sent.
  const std::string of_texts = "\a\b\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_control = byte < 0x20 && (byte == 0 || of_texts.find(c) == of_texts.npos);
    INFO("byte " << byte);
    const auto why = [&](int count) {
      return train::decode(std::string(30 - unsigned(count), 'a') + std::string(unsigned(count), c))
          .why_no_text;
    };
    CHECK(why(1).empty() == (byte != 0));
    CHECK(why(2).empty() == !is_control);
    if (is_control && byte > 0)
      CHECK(why(2) == joined("is not a text: byte ", byte, " at offset 28"));
  }
}

TEST_CASE("every byte: behind a backslash") {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string escape = std::string("\\") + c;
    INFO("byte " << byte);
    CHECK(train::unescaped(escape + '.') == (c == 'n'                ? "\n."
                                             : c == 't'              ? "\t."
                                             : c == 'r'              ? "\r."
                                             : c == '\\' || c == '"' ? std::string(1, c) + '.'
                                                                     : escape + '.'));
    char digits[8];
    std::snprintf(digits, sizeof digits, "\\x%02x", unsigned(byte));
    CHECK(train::unescaped(digits) == std::string(1, c));
  }
}

TEST_CASE("every byte: a text that is cut within a character ends before it") {
  for (const char32_t c :
       std::initializer_list<char32_t>{'a', 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF}) {
    std::string bytes;
    model::append_utf8(bytes, c);
    for (const std::string before : {"", "b", "\xc3\xa9", "\x80\x80\x80\x80"})
      for (std::size_t size = 0; size <= bytes.size(); ++size) {
        INFO(model::code_point_name(c) << ", " << size << " bytes of it");
        const std::string text = before + bytes.substr(0, size);
        CHECK(model::complete_utf8_prefix(text) ==
              (size == bytes.size() ? text.size() : before.size()));
      }
  }
}
