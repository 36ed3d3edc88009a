#include "train/text/text_kind.h"

#include <algorithm>
#include <utility>

#include "model/base/utf8.h"
#include "train/system/words.h"

namespace train {

namespace {

bool is_control(unsigned char c) { return c < '\a' || (c > '\r' && c < '\x1b'); }

}  // namespace

std::optional<std::string> utf8_of_utf16(std::string_view bytes) {
  const bool big_endian = bytes.starts_with("\xfe\xff");
  if (!big_endian && !bytes.starts_with("\xff\xfe")) return std::nullopt;
  if (bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 2; i < bytes.size(); i += 2) {
    char32_t value = unit(i);
    if (value == 0) return std::nullopt;  // UTF-32, where every other unit is 0
    // Code points from U+10000 on are two units: D800..DBFF with the upper ten bits of the
    // difference from U+10000, DC00..DFFF with the lower ten.
    if (value >> 10 == 0xD800 >> 10) {
      i += 2;
      if (i == bytes.size() || unit(i) >> 10 != 0xDC00 >> 10) return std::nullopt;
      value = 0x10000 + ((value & 0x3FF) << 10 | (unit(i) & 0x3FF));
    } else if (value >> 10 == 0xDC00 >> 10) {
      return std::nullopt;
    }
    model::append_utf8(text, value);
  }
  return text;
}

std::string without_mark(std::string bytes) {
  if (std::optional<std::string> text = utf8_of_utf16(bytes)) return std::move(*text);
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);
  return bytes;
}

LineEnds take_line_ends(std::string& text) {
  if (text.find('\r') == text.npos) return LineEnds::lf;
  const Index feeds = std::ranges::count(text, '\n'), returns = std::ranges::count(text, '\r');
  if (feeds == 0) return LineEnds::cr;
  Index pairs = 0;
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != text.npos; at += 2) ++pairs;
  if (pairs == 0 || why_no_text(text)) return LineEnds::lf;
  if (pairs < feeds || pairs < returns) return LineEnds::mixed;
  std::erase(text, '\r');
  return LineEnds::crlf;
}

std::string_view line_ends_text(LineEnds ends) {
  switch (ends) {
    case LineEnds::lf: break;
    case LineEnds::crlf: return "lines end in CRLF, read as LF";
    case LineEnds::cr:
      return "no line feeds: lines end with CR alone, and so will those of samples";
    case LineEnds::mixed: return "some lines end in CRLF, some in LF, and so will those of samples";
  }
  return "";
}

bool is_model(std::string_view bytes) {
  // The length of its header in 8 bytes, then the header, an object in JSON.
  return bytes.substr(0, 10).ends_with(std::string_view("\0\0\0{\"", 5));
}

std::optional<std::string> why_no_text(std::string_view bytes) {
  if (bytes.starts_with("%PDF-")) return "is a PDF; pdftotext converts it to text";
  const bool is_zip = bytes.starts_with("PK\x03\x04"),
             is_old = bytes.starts_with("\xd0\xcf\x11\xe0");
  if (is_old || (is_zip && bytes.find("word/document.xml") != bytes.npos))
    return "is a Word document; save it as plain text, in UTF-8, from its own program";
  if (is_zip) return "is a zip archive, as epub and odt are; unpack it, or save it as plain text";
  if (utf8_of_utf16(bytes)) return std::nullopt;
  std::size_t at = bytes.find('\0');
  if (at == bytes.npos && std::ranges::count_if(bytes, is_control) > std::ssize(bytes) / 30)
    at = static_cast<std::size_t>(std::ranges::find_if(bytes, is_control) - bytes.begin());
  if (at == bytes.npos) return std::nullopt;
  return joined("is not a text: byte ", static_cast<int>(bytes[at]), " at offset ", at);
}

}  // namespace train
