#include "train/text/text_kind.h"

#include "tests/catch.h"

using namespace std::string_literals;
using train::utf8_of_utf16;
using train::why_no_text;

TEST_CASE("text kind: UTF-16 of both byte orders, code points of one and two units") {
  CHECK(utf8_of_utf16("\xff\xfe"s) == "");
  CHECK(utf8_of_utf16("\xff\xfe\x61\x00\xe9\x00\xac\x20\x3d\xd8\x00\xde"s) == "aé€😀");
  CHECK(utf8_of_utf16("\xfe\xff\x00\x61\x00\xe9\x20\xac\xd8\x3d\xde\x00"s) == "aé€😀");
  CHECK(utf8_of_utf16("\xfe\xff\xd7\xff\xe0\x00\xff\xff"s) ==
        "\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf");
  CHECK(utf8_of_utf16("\xfe\xff\xd8\x00\xdc\x00\xdb\xff\xdf\xff"s) ==
        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST_CASE("text kind: what is not UTF-16 is left as it is") {
  CHECK(!utf8_of_utf16(""));
  CHECK(!utf8_of_utf16("plain"));
  CHECK(!utf8_of_utf16("\xff"));
  CHECK(!utf8_of_utf16("\xef\xbb\xbf plain"s));                // UTF-8's mark
  CHECK(!utf8_of_utf16("\xff\xfe\x61"s));                      // half a unit
  CHECK(!utf8_of_utf16("\xff\xfe\x3d\xd8"s));                  // half a pair
  CHECK(!utf8_of_utf16("\xff\xfe\x3d\xd8\x61\x00"s));          // half a pair and a letter
  CHECK(!utf8_of_utf16("\xff\xfe\x00\xde"s));                  // the second half alone
  CHECK(!utf8_of_utf16("\xff\xfe\x00\x00\x61\x00\x00\x00"s));  // UTF-32
}

TEST_CASE("text kind: a byte-order mark is no character at the beginning, and one elsewhere") {
  CHECK(train::without_mark("\xef\xbb\xbf plain") == " plain");
  CHECK(train::without_mark("\xff\xfe\x61\x00\xe9\x00"s) == "aé");
  CHECK(train::without_mark("\xfe\xff\x00\x61\xfe\xff"s) == "a\xef\xbb\xbf");
  for (const std::string& text : {""s, "plain"s, "a\xef\xbb\xbf"s, "\xef\xbb"s, "\xff\xfe\x61"s})
    CHECK(train::without_mark(text) == text);
}

TEST_CASE("text kind: a PDF, a Word document and a zip archive are known by their bytes") {
  CHECK(why_no_text("%PDF-1.7\nall of it is ASCII") == "is a PDF; pdftotext converts it to text");
  const std::string word =
      "is a Word document; save it as plain text, in UTF-8, from its own program";
  CHECK(why_no_text("\xd0\xcf\x11\xe0\xa1\xb1"s) == word);
  CHECK(why_no_text("PK\x03\x04\x14\x00[Content_Types].xml PK\x03\x04 word/document.xml"s) == word);
  CHECK(why_no_text("PK\x03\x04\x14\x00 ckpt/data.pkl"s) ==
        "is a zip archive, as epub and odt are; unpack it, or save it as plain text");
  CHECK(train::is_model("\x10\x27\0\0\0\0\0\0{\"__metadata__\""s));
  CHECK(!train::is_model("{\"__metadata__\""));
}

TEST_CASE("text kind: a zero byte or many control characters make a file binary") {
  std::string all;  // each byte but zero once, in any order, as in random bytes
  for (int i = 1; i < 256; ++i) all += static_cast<char>(i);
  CHECK(why_no_text(all) == "is not a text: byte 1 at offset 0");
  CHECK(why_no_text("zero\0 and a control\x01"s) == "is not a text: byte 0 at offset 4");
  CHECK(why_no_text("\x93NUMPY\x01\x00"s) == "is not a text: byte 0 at offset 7");
  CHECK(why_no_text("\xff\xfe\x61\x00\x00"s) ==
        "is not a text: byte 0 at offset 3");               // half a unit
  CHECK(why_no_text("\xff\xfe\x00\x00\x61\x00\x00\x00"s));  // UTF-32
  // And texts that begin with the letters of another kind of file.
  for (const std::string& text :
       {""s, "%PD"s, "PK or GGUF\n"s, "\xff\xfe\x61\x00"s, "na\xefve, in Latin-1"s,
        "\t\r\n\f\b\x1b[1m"s, "a text of DOS, which ends with its mark\x1a"s,
        "\xd4\xc5\xcb\xd3\xd4 in KOI8"s}) {
    CAPTURE(text);
    CHECK(!why_no_text(text));
  }
}

TEST_CASE("text kind: CRLF at the end of every line becomes LF") {
  using enum train::LineEnds;
  const std::pair<std::string, train::LineEnds> cases[] = {{"", lf},
                                                           {"a", lf},
                                                           {"a\n", lf},
                                                           {"a\rb\n", lf},
                                                           {"\r\n", crlf},
                                                           {"a\r\nb", crlf},
                                                           {"a\r\n\r\nb\r\n", crlf},
                                                           {"\r", cr},
                                                           {"a\rb\r", cr},
                                                           {"a\r\nb\n", mixed},
                                                           {"a\r\nb\rc\r\n", mixed},
                                                           {"a\r\r\n", mixed},
                                                           {"a\r\n\0"s, lf}};
  for (const auto& [given, ends] : cases) {
    CAPTURE(given);
    std::string text = given, without = given;
    CHECK(train::take_line_ends(text) == ends);
    if (ends == crlf) std::erase(without, '\r');
    CHECK(text == without);
  }
}
