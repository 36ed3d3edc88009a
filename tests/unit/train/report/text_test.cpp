// Text inside a page is escaped, and has no character that a page may not have.
#include "train/report/text.h"

#include <vector>

#include "model/base/text.h"
#include "model/base/utf8.h"
#include "tests/catch.h"

using namespace train;

namespace {

const std::string unknown = "\xef\xbf\xbd";  // U+FFFD

std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("page text: what has a meaning in HTML is escaped, all else stays") {
  CHECK(escaped("") == "");
  CHECK(escaped("a & b &amp; <i>") == "a &amp; b &amp;amp; &lt;i&gt;");
  CHECK(for_script("\"</script> <!-- & \xe2\x80\xa8\xe2\x80\xa9'\"") ==
        "\"\\u003c/script\\u003e \\u003c!-- \\u0026 \\u2028\\u2029'\"");
  CHECK(escaped("one\r\ntwo\rthree\r") == "one\ntwo" + unknown + "three" + unknown);
  const std::string text =
      "plain `letters` = / é ß Ω 👩‍👩‍👧‍👦 🇩🇪 ☃️ e\xcc\x81";
  CHECK(escaped(text) == text);
  CHECK(for_script(text) == text);
}

TEST_CASE("page text: a sample begins with its first words") {
  CHECK(without_blank_head("\n \r\n\t\n  a\n\nb\n") == "  a\n\nb\n");
  CHECK(without_blank_head("a\nb") == "a\nb");
  for (const char* blank : {"", "\n", " \n\n"}) CHECK(without_blank_head(blank) == "");
}

TEST_CASE("page text: of all code points, controls and noncharacters are replaced") {
  std::string wrong;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;  // no code points
    const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F),
               noncharacter =
                   (c >= 0xFDD0 && c <= 0xFDEF) || c % 0x10000 == 0xFFFE || c % 0x10000 == 0xFFFF;
    std::string character;
    model::append_utf8(character, c);
    const std::string kept = c == '\n' || c == '\t'    ? character
                             : control || noncharacter ? unknown
                                                       : character,
                      expected = c == '&'    ? "&amp;"
                                 : c == '<'  ? "&lt;"
                                 : c == '>'  ? "&gt;"
                                 : c == '"'  ? "&quot;"
                                 : c == '\'' ? "&#39;"
                                             : kept;
    if (clean(character) != kept || escaped(character) != expected)
      wrong += model::code_point_name(c) + ' ';
  }
  CHECK(wrong == "");
}

TEST_CASE("page text: each byte that is not UTF-8 is replaced, wherever it stands") {
  const std::vector<std::pair<std::string, std::string>> pieces = {
      {"a", "a"}, {"<", "&lt;"}, {"é", "é"}, {"€", "€"}, {"😀", "😀"}, {"\n", "\n"}};
  // A byte that continues nothing, none of UTF-8's, beginnings, an overlong form, a surrogate,
  // above the last code point.
  for (const std::string broken : {"\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf",
                                   "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xfe\xbf"})
    for (std::size_t place = 0; place <= pieces.size(); ++place) {
      std::string text, expected;
      for (std::size_t i = 0; i <= pieces.size(); ++i) {
        if (i == place) {
          text += broken;
          expected += times(broken.size(), unknown);
        }
        if (i == pieces.size()) break;
        text += pieces[i].first;
        expected += pieces[i].second;
      }
      INFO(model::in_quotes(text));
      CHECK(escaped(text) == expected);
      std::string bytes;
      for (const char byte : broken)
        bytes += "\\x" + model::hex(static_cast<unsigned char>(byte), 2);
      CHECK(label_of(broken) == bytes);
    }
}

TEST_CASE("page text: of a token of a million letters the page shows the beginning") {
  CHECK(label_of(" a\r\n") == "␣a␍⏎");
  const std::string token = times(1'000'000, "é");
  CHECK(label_of(token) == times(40, "é") + "…");
  CHECK(label_of(times(40, "é")) == times(40, "é"));
  CHECK(clean(token) == times(10'000, "é") + "…");
}
