#include "train/text/text_kind.h"

#include "tests/catch.h"

using namespace std::string_literals;
using train::not_text;
using train::utf8_of_utf16;

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

TEST_CASE("text kind: files without plain text are known by their first bytes") {
  CHECK(not_text("\x1f\x8b\x08\x00\x00"s)->kind == "a gzip file");
  CHECK(not_text("PK\x03\x04\x14\x00"s)->kind.find("docx") != std::string::npos);
  CHECK(not_text("%PDF-1.7\nall of it is ASCII")->advice.find("pdftotext") == 0);
  CHECK(not_text("\x89PNG\r\n\x1a\n\x00\x00"s)->kind == "a PNG image");
  CHECK(not_text("\xff\xd8\xff\xe0\x00\x10JFIF"s)->kind == "a JPEG image");
  CHECK(not_text("\xff\xfe\x00\x00\x61\x00\x00\x00"s)->kind == "a text in UTF-32");
  CHECK(not_text("\x10\x27\0\0\0\0\0\0{\"__metadata__\""s)->kind == "a model (safetensors)");
  CHECK(not_text("{\\rtf1 text}")->kind == "an RTF document");
  CHECK(not_text("PK\x03\x04\0\0\x08\x08 ckpt/data.pkl"s)->kind == "a model (PyTorch)");
  CHECK(not_text("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s)->kind ==
        "a model (PyTorch)");
}

TEST_CASE("text kind: a zero byte or many control characters make a file binary") {
  std::string all;  // each byte but zero once, in any order, as in random bytes
  for (int i = 1; i < 256; ++i) all += static_cast<char>(i);
  CHECK(train::is_binary(all));
  CHECK(train::is_binary("a text with a zero byte\0"s));
  CHECK(train::is_binary("\x93NUMPY\x01\x00"s));
  CHECK(train::is_binary("\xff\xfe\x61\x00\x00"s));  // half a unit
  for (const std::string& text :
       {"\xff\xfe\x61\x00"s, "na\xefve, in Latin-1"s, "\t\r\n\f\b\x1b[1m"s,
        "a text of DOS, which ends with its mark\x1a"s, "\xd4\xc5\xcb\xd3\xd4 in KOI8"s}) {
    CAPTURE(text);
    CHECK(!train::is_binary(text));
  }
}

TEST_CASE("text kind: a text may begin with the letters of another kind of file") {
  for (const char* text : {"", "RIFF and raff", "ID3 is a kind of tag", "BZh!", "GIF89a: a format",
                           "Rar! said the crow", "7z", "%PD", "OggS", "GGUF\n"}) {
    CAPTURE(text);
    CHECK(!not_text(text));
  }
}
