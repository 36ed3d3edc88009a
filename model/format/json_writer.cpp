#include "model/format/json_writer.h"

#include "model/base/utf8.h"
#include "model/base/words.h"

namespace model {

std::string json_string(std::string_view text) {
  const std::size_t valid = valid_utf8_prefix(text);
  check(valid == text.size(), "JSON string: byte ", valid, " of the text is not UTF-8");
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u" + hex(static_cast<unsigned char>(c), 4);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out += '"';
}

}  // namespace model
