#include "train/text/text_kind.h"

#include "tests/catch.h"

using namespace std::string_literals;
using train::decode;

namespace {

std::string why_no_text(std::string_view bytes) { return decode(std::string(bytes)).why_no_text; }

}  // namespace

TEST_CASE("text kind: UTF-16 of both byte orders, code points of one and two units") {
  const std::pair<std::string, std::string> cases[] = {
      {"\xff\xfe"s, ""},
      {"\xff\xfe\x61\x00\xe9\x00\xac\x20\x3d\xd8\x00\xde"s, "aé€😀"},
      {"\xfe\xff\x00\x61\x00\xe9\x20\xac\xd8\x3d\xde\x00"s, "aé€😀"},
      {"\xfe\xff\xd7\xff\xe0\x00\xff\xff"s, "\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"},
      {"\xfe\xff\xd8\x00\xdc\x00\xdb\xff\xdf\xff"s, "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
      {"\xfe\xff\x00\x61\xfe\xff"s, "a\xef\xbb\xbf"}};  // a mark elsewhere is a character
  for (const auto& [bytes, text] : cases) {
    CHECK(decode(bytes).text == text);
    CHECK(decode(bytes).is_utf16);
  }
}

TEST_CASE("text kind: what is not UTF-16 is left as it is") {
  for (const std::string& bytes : {
           ""s, "plain"s, "\xff"s, "a\xef\xbb\xbf"s, "\xef\xbb"s,
           "\xff\xfe\x61"s,                      // half a unit
           "\xff\xfe\x3d\xd8"s,                  // half a pair
           "\xff\xfe\x3d\xd8\x61\x00"s,          // half a pair and a letter
           "\xff\xfe\x00\xde"s,                  // the second half alone
           "\xff\xfe\x00\x00\x61\x00\x00\x00"s,  // UTF-32
       }) {
    CHECK(decode(bytes).text == bytes);
    CHECK_FALSE(decode(bytes).is_utf16);
  }
  CHECK(decode("\xef\xbb\xbf plain").text == " plain");  // UTF-8's mark
}

TEST_CASE("text kind: a Word document is known by its bytes, an old one and a new one") {
  const std::string word =
      "is a Word document; save it as plain text, in UTF-8, from its own program";
  CHECK(why_no_text("\xd0\xcf\x11\xe0\xa1\xb1"s) == word);
  CHECK(why_no_text("PK\x03\x04\x14\x00[Content_Types].xml PK\x03\x04 word/document.xml"s) == word);
}

TEST_CASE("text kind: a zero byte or many control characters make a file binary") {
  CHECK(why_no_text("zero\0 and a control\x01"s) == "is not a text: byte 0 at offset 4");
  CHECK(why_no_text("\xff\xfe\x61\x00\x00"s) ==
        "is not a text: byte 0 at offset 3");  // half a unit
  // Without its mark, which Notepad writes and some other programs do not.
  for (const std::string& bytes : {"a\0 \0b\0"s, "\0a\0 \0b"s, "\x04\x30\x00\x20\x04\x31"s})
    CHECK_THAT(why_no_text(bytes), Catch::Contains("UTF-16"));
  // And texts that begin with the letters of another kind of file.
  for (const std::string& text :
       {""s, "%PD"s, "PK or GGUF\n"s, "\xff\xfe\x61\x00"s, "na\xefve, in Latin-1"s,
        "\t\r\n\f\b\x1b[1m"s, "a text of DOS, which ends with its mark\x1a"s,
        "\xd4\xc5\xcb\xd3\xd4 in KOI8"s}) {
    CAPTURE(text);
    CHECK(why_no_text(text) == "");
  }
}

TEST_CASE("text kind: CRLF at the end of every line becomes LF") {
  using enum train::LineEnds;
  const std::pair<train::LineEnds, std::vector<std::string>> cases[] = {
      {lf, {"", "a", "a\n", "a\rb\n", "a\r\n\0"s}},
      {crlf, {"\r\n", "a\r\nb", "a\r\n\r\nb\r\n"}},
      {cr, {"\r", "a\rb\r"}},
      {mixed, {"a\r\nb\n", "a\r\nb\rc\r\n", "a\r\r\n"}}};
  for (const auto& [ends, texts] : cases)
    for (const std::string& given : texts) {
      CAPTURE(given);
      std::string without = given;
      if (ends == crlf) std::erase(without, '\r');
      CHECK(decode(given).line_ends == ends);
      CHECK(decode(given).text == without);
    }
}
