#include "model/base/utf8.h"

#include "engine/base/text.h"

#include <string>
#include <string_view>

#include "model/base/text.h"
#include "tests/catch.h"

TEST_CASE("utf8: every code point is written and read back in its one form") {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string text;
    model::append_utf8(text, code);
    const model::CodePoint read = model::first_code_point(text);
    if (read.value != code || read.bytes != static_cast<int>(text.size())) {
      INFO("U+" << std::hex << static_cast<unsigned>(code));
      CHECK(false);
    }
    // Cut short it is not UTF-8.
    for (std::size_t size = 0; size < text.size(); ++size)
      if (model::first_code_point(std::string_view(text).substr(0, size)).bytes != 0) CHECK(false);
  }
}

TEST_CASE("utf8: exactly the forms in which code points are written are accepted") {
  // Of all 2^24 sequences of three bytes: 0x110000 code points minus what takes four bytes.
  int one = 0, two = 0, three = 0;
  for (unsigned bytes = 0; bytes < 1u << 24; ++bytes) {
    const char text[] = {static_cast<char>(bytes >> 16), static_cast<char>(bytes >> 8),
                         static_cast<char>(bytes)};
    const int length = model::first_code_point(std::string_view(text, 3)).bytes;
    one += length == 1, two += length == 2, three += length == 3;
  }
  CHECK(one == 0x80 * 256 * 256);
  CHECK(two == (0x800 - 0x80) * 256);
  CHECK(three == 0x10000 - 0x800 - 0x800);  // without the surrogates
  CHECK(model::first_code_point("\xf4\x8f\xbf\xbf").value == 0x10FFFF);
  CHECK(model::first_code_point("\xf4\x90\x80\x80").bytes == 0);
  CHECK(model::first_code_point("\xf0\x8f\xbf\xbf").bytes == 0);
  CHECK(model::first_code_point("\xf8\x88\x80\x80\x80").bytes == 0);
}

TEST_CASE("utf8: the first invalid byte is found") {
  CHECK(model::valid_utf8_prefix("") == 0);
  CHECK(model::valid_utf8_prefix("a\xc3\xa9") == 3);
  CHECK(model::valid_utf8_prefix("a\xc3\xa9\xc3") == 3);
  CHECK(model::valid_utf8_prefix("\x80") == 0);
}

TEST_CASE("utf8: broken bytes are counted, and few of them are a mistake") {
  CHECK(model::count_broken_bytes("") == 0);
  CHECK(model::count_broken_bytes("a\xc3\xa9") == 0);
  CHECK(model::count_broken_bytes("\xe9 caf\xe9 \xc3\xa9\xc3") == 3);
  CHECK(model::count_broken_bytes("\xed\xa0\x80") == 3);  // a surrogate
  CHECK(model::is_nearly_utf8(0, 0));
  CHECK(model::is_nearly_utf8(1, 1000));
  CHECK(!model::is_nearly_utf8(1, 999));
  CHECK(model::is_nearly_utf8(2, 2999));
  CHECK(!model::is_nearly_utf8(3, 2999));
}

TEST_CASE("utf8: a character is named by itself where it can be seen") {
  CHECK(model::code_point_name(0x1F) == "U+001F");
  CHECK(model::code_point_name(' ') == "' '");
  CHECK(model::code_point_name('~') == "'~'");
  CHECK(model::code_point_name(0x7F) == "U+007F");
  CHECK(model::code_point_name(0x1F600) == "U+1F600");
}

// Characters: every_character_test.cpp.
TEST_CASE("utf8: in messages other bytes are numbers, and a text ends after a hundred") {
  CHECK(engine::joined(model::in_quotes("é\"\\\xff\xc2\x85")) == R"("é\"\\\xff\xc2\x85")");
  CHECK(model::printable(std::string(100, 'x')) == std::string(100, 'x'));
  CHECK(model::printable(std::string(101, 'x')) == std::string(100, 'x') + "...");
}
