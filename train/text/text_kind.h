// Decodes the bytes of a file that was given as a text, and recognizes what is not a text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace train {

// How the lines of a text end: all in LF, or there are none; all in CRLF, as on Windows; in CR, as
// on old Macs; some in CRLF and some in LF.
enum class LineEnds { lf, crlf, cr, mixed };
std::string_view line_ends_text(LineEnds ends);

struct Decoded {
  // UTF-8 without a byte-order mark, with LF if all lines ended in CRLF. If this is not a text, its
  // bytes.
  std::string text;
  LineEnds line_ends = LineEnds::lf;  // before
  bool is_utf16 = false;
  // Why this is no plain text, to follow the file's name in a message: `is a PDF; pdftotext
  // converts it to text`. Empty for a text. A file with a zero byte is not text, unless it is
  // UTF-16, and neither is one with more than one control character in 30 bytes (of random bytes,
  // one in 13 is).
  std::string why_no_text = {};
  // The checksum of the bytes, if they begin with a mark; 0 if not.
  std::uint64_t marked = 0;
};

// UTF-16 is recognized by its byte-order mark (FF FE or FE FF).
Decoded decode(std::string bytes);

// The bytes without UTF-8's byte-order mark at their beginning.
std::string without_mark(std::string bytes);

// Whether the bytes are a model in a .safetensors file.
bool is_model(std::string_view bytes);

}  // namespace train
