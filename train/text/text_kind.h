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

// Whether a file looks like none that people read: a zero byte, unless it is UTF-16, or more than
// one control character in 30 bytes (of random bytes, one in 13 is).
bool is_binary(std::string_view bytes);

// Whether torch.save wrote the file: a zip whose first entry is NAME/data.pkl; before PyTorch 1.6, a
// pickle that begins with a number of PyTorch's.
bool is_of_pytorch(std::string_view bytes);

// A kind of file that holds no plain text, and what makes one of it.
struct NotText {
  std::string_view kind;    // `a gzip file`
  std::string_view advice;  // `gunzip unpacks it`
  bool is_model = false;
};
std::optional<NotText> not_text(std::string_view bytes);

}  // namespace train
