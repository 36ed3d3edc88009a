// What a file given as a text holds, told by its first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace train {

// The text of a file in UTF-16, which begins with a byte-order mark (FF FE or FE FF), as UTF-8
// without the mark; nothing if there is no such mark or what follows it is not UTF-16.
std::optional<std::string> utf8_of_utf16(std::string_view bytes);

// What is read as a text or prompt, without the byte-order mark that it may begin with, in UTF-8 if
// it is UTF-16.
std::string without_mark(std::string bytes);

// How the lines of a text end: all in LF, or there are none; all in CRLF, as Windows has it; in CR, as
// old Macs had it; some in CRLF and some in LF.
enum class LineEnds { lf, crlf, cr, mixed };
// Those of the text, in which CRLF becomes LF if all lines end so; not in what is no text.
LineEnds take_line_ends(std::string& text);
std::string_view said_of(LineEnds ends);

// Whether the bytes are a model in a .safetensors file.
bool is_model(std::string_view bytes);

// What is said, behind its name, of a file that holds no plain text: `is a PDF; pdftotext makes a text
// of it`. Nothing of a text. A file with a zero byte is none, unless it is UTF-16, nor is one with more
// than one control character in 30 bytes (of random bytes, one in 13 is).
std::optional<std::string> why_no_text(std::string_view bytes);

}  // namespace train
