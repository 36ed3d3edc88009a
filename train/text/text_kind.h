// Recognizes, by its first bytes, what a file given as a text contains.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace train {

// The text of a file in UTF-16, which begins with a byte-order mark (FF FE or FE FF), as UTF-8
// without the mark; nothing if there is no such mark or what follows it is not UTF-16.
std::optional<std::string> utf8_of_utf16(std::string_view bytes);

// The bytes of a text or prompt without a leading byte-order mark, converted to UTF-8 if they are
// UTF-16.
std::string without_mark(std::string bytes);

// How the lines of a text end: all in LF, or there are none; all in CRLF, as on Windows; in CR, as
// on old Macs; some in CRLF and some in LF.
enum class LineEnds { lf, crlf, cr, mixed };
// Returns the text's line ends. Replaces CRLF by LF if all lines end in CRLF; leaves files that are
// not text unchanged.
LineEnds take_line_ends(std::string& text);
std::string_view line_ends_text(LineEnds ends);

// Whether the bytes are a model in a .safetensors file.
bool is_model(std::string_view bytes);

// Why a file is not plain text, to follow its name in a message: `is a PDF; pdftotext converts it
// to text`. Nothing for a text. A file with a zero byte is not text, unless it is UTF-16, and
// neither is one with more than one control character in 30 bytes (of random bytes, one in 13 is).
std::optional<std::string> why_no_text(std::string_view bytes);

}  // namespace train
