// UTF-8: exactly the well-formed sequences are code points.
#include "model/utf8.h"

#include <string>

#include "engine/check.h"
#include "tests/catch.h"

using namespace model;

TEST_CASE("utf8: every code point is written and read back, and nothing else is one") {
  int surrogates = 0, wrong = 0;
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) {
      const std::string text = {'\xED', static_cast<char>(0x80 | (value >> 6 & 0x3F)),
                                static_cast<char>(0x80 | (value & 0x3F))};
      surrogates += first_code_point(text).bytes == 0;
      continue;
    }
    std::string text;
    append_utf8(text, value);
    const CodePoint point = first_code_point(text + "\x80");
    wrong += point.value != value || point.size() != text.size();
    wrong += first_code_point(std::string_view(text).substr(0, text.size() - 1)).bytes != 0;
  }
  CHECK(surrogates == 0x800);
  CHECK(wrong == 0);
}

TEST_CASE("utf8: of all sequences of two bytes, 128 x 128 + 30 x 64 are UTF-8") {
  int valid = 0;
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second)
      valid += valid_utf8_prefix(std::string{char(first), char(second)}) == 2;
  CHECK(valid == 128 * 128 + 30 * 64);
}

TEST_CASE("utf8: the first offset that is not UTF-8, for each kind of mistake") {
  const std::pair<std::string, std::size_t> cases[] = {
      {"", 0},
      {"abc", 3},
      {"ab\x80", 2},               // continues nothing
      {"a\xC3", 1},                // cut short
      {"a\xE2\x82", 1},            //
      {"a\xC3z", 1},               // not continued
      {"\xC0\xAF", 0},             // overlong
      {"\xE0\x9F\xBF", 0},         //
      {"\xF0\x8F\xBF\xBF", 0},     //
      {"é\xF4\x90\x80\x80", 2},    // above U+10FFFF
      {"\xF8\x88\x80\x80\x80", 0}  // five bytes
  };
  for (const auto& [text, offset] : cases) {
    INFO(text);
    CHECK(valid_utf8_prefix(text) == offset);
  }
  CHECK_THROWS_WITH(checked_code_point("ab\xC3", 2), "byte 2: 0xc3 is not UTF-8");
}

TEST_CASE("utf8: of a stream, what is cut waits and what is broken does not") {
  const std::string text = "aé€😀";
  const std::size_t complete[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
  for (std::size_t size = 0; size <= text.size(); ++size) {
    INFO(size);
    CHECK(complete_utf8_prefix(std::string_view(text).substr(0, size)) == complete[size]);
  }
  CHECK(complete_utf8_prefix("a\x80\x80\x80\x80") == 5);
  CHECK(complete_utf8_prefix("\xFF") == 1);
}

TEST_CASE("utf8: code points have printable names") {
  CHECK(code_point_name('a') == "'a'");
  CHECK(code_point_name('\n') == "U+000A");
  CHECK(code_point_name(0x1F600) == "U+1F600");
}
