#include "train/text/text_kind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/base/utf8.h"
#include "model/format/checksum.h"
#include "train/system/words.h"

namespace train {

namespace {

bool is_control(unsigned char c) { return c < '\a' || (c > '\r' && c < '\x1b'); }

constexpr std::string_view little_endian = "\xff\xfe", big_endian = "\xfe\xff",
                           utf8 = "\xef\xbb\xbf";

// The text of bytes in UTF-16, which begin with a byte-order mark, as UTF-8 without it; nothing if
// there is no such mark or what follows it is not UTF-16.
std::optional<std::string> utf8_of_utf16(std::string_view bytes) {
  const bool is_big_endian = bytes.starts_with(big_endian);
  if (!is_big_endian && !bytes.starts_with(little_endian)) return std::nullopt;
  if (bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(is_big_endian ? first << 8 | second : second << 8 | first);
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

Index count_controls(std::string_view bytes) { return std::ranges::count_if(bytes, is_control); }

// Whether bytes that are not text as they are would be text with a mark in front. Zeros are
// frequent then, in the spaces at least, except in Chinese or Japanese.
bool lacks_mark(std::string_view bytes) {
  bytes = bytes.substr(0, 1 << 12);
  if (std::ranges::count(bytes, '\0') <= std::ssize(bytes) / 16) return false;
  return std::ranges::any_of(std::array{little_endian, big_endian}, [&](std::string_view mark) {
    const auto text = utf8_of_utf16(std::string(mark).append(bytes));
    return text && text->find(' ') != text->npos && count_controls(*text) <= std::ssize(*text) / 30;
  });
}

std::string why_no_text(std::string_view bytes) {
  if (bytes.starts_with("%PDF-")) return "is a PDF; pdftotext converts it to text";
  const bool is_zip = bytes.starts_with("PK\x03\x04"),
             is_old = bytes.starts_with("\xd0\xcf\x11\xe0");
  if (is_old || (is_zip && bytes.find("word/document.xml") != bytes.npos))
    return "is a Word document; save it as plain text, in UTF-8, from its own program";
  if (is_zip) return "is a zip archive, as epub and odt are; unpack it, or save it as plain text";
  const Index controls = count_controls(bytes);
  std::size_t at = controls > 0 ? bytes.find('\0') : bytes.npos;
  if (at == bytes.npos && controls > std::ssize(bytes) / 30)
    at = static_cast<std::size_t>(std::ranges::find_if(bytes, is_control) - bytes.begin());
  if (at == bytes.npos) return "";
  if (lacks_mark(bytes)) return "is UTF-16 without a byte-order mark; save it as UTF-8";
  return joined("is not a text: byte ", static_cast<int>(bytes[at]), " at offset ", at);
}

LineEnds line_ends_of(std::string_view text) {
  if (text.find('\r') == text.npos) return LineEnds::lf;
  const Index feeds = std::ranges::count(text, '\n'), returns = std::ranges::count(text, '\r');
  if (feeds == 0) return LineEnds::cr;
  Index pairs = 0;
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != text.npos; at += 2) ++pairs;
  return pairs == 0                         ? LineEnds::lf
         : pairs < feeds || pairs < returns ? LineEnds::mixed
                                            : LineEnds::crlf;
}

}  // namespace

Decoded decode(std::string bytes) {
  Decoded file;
  std::optional<std::string> wide = utf8_of_utf16(bytes);
  file.is_utf16 = wide.has_value();
  if (wide || bytes.starts_with(utf8)) file.marked = model::checksum(bytes);
  if (!wide) file.why_no_text = why_no_text(bytes);
  file.text = wide ? std::move(*wide) : without_mark(std::move(bytes));
  if (file.why_no_text.empty()) file.line_ends = line_ends_of(file.text);
  if (file.line_ends == LineEnds::crlf) std::erase(file.text, '\r');
  return file;
}

std::string without_mark(std::string bytes) {
  if (bytes.starts_with(utf8)) bytes.erase(0, utf8.size());
  return bytes;
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

}  // namespace train
