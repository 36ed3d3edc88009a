#include "train/report/text.h"

#include <algorithm>
#include <map>

#include "model/base/text.h"
#include "model/base/utf8.h"
#include "train/system/words.h"

namespace train {
namespace {

using View = std::string_view;

// The text; after `most` characters, an ellipsis takes the place of the others.
std::string shortened(View text, Index most) {
  const std::size_t end = model::first_characters(text, most);
  return end == text.size() ? std::string(text) : joined(text.substr(0, end), "…");
}

// Characters that HTML forbids: controls and noncharacters.
bool is_forbidden(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) ||
         (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

// Spaces of other widths, joiners, and direction marks, which are invisible in a label.
bool is_invisible(char32_t c) {
  return c == 0xA0 || c == 0xAD || (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
         (c >= 0x205F && c <= 0x206F) || c == 0x3000 || c == 0xFEFF;
}

// Calls write(character, bytes, rest) for each character of `text`; for a byte that belongs to no
// character, the character has no bytes.
template <class Write>
std::string rewritten(View text, Write write) {
  std::string out;
  while (!text.empty()) {
    const model::CodePoint c = model::first_code_point(text);
    const View bytes = text.substr(0, std::max<std::size_t>(c.size(), 1));
    text.remove_prefix(bytes.size());
    out += write(c, bytes, text);
  }
  return out;
}

std::string replaced(View text, const std::map<char32_t, View>& by) {
  return rewritten(text, [&](const model::CodePoint& c, View bytes, View) {
    const auto found = by.find(c.value);
    return found == by.end() ? bytes : found->second;
  });
}

}  // namespace

std::string clean(View text) {
  return rewritten(shortened(text, 10'000),
                   [](const model::CodePoint& c, View bytes, View rest) -> View {
                     if (c.value == '\r' && rest.starts_with('\n')) return "";
                     return c.bytes == 0 || is_forbidden(c.value) ? "\xef\xbf\xbd" : bytes;
                   });
}

View without_blank_head(View sample) {
  // At npos, rfind finds the last line feed: of a blank sample, its last line is left.
  return sample.substr(sample.rfind('\n', sample.find_first_not_of(" \t\r\n")) + 1);
}

std::string escaped(View text) {
  return replaced(clean(text),
                  {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string for_script(View json) {
  return replaced(json, {{'<', "\\u003c"},
                         {'>', "\\u003e"},
                         {'&', "\\u0026"},
                         {0x2028, "\\u2028"},
                         {0x2029, "\\u2029"}});
}

std::string label_of(View token) {
  return rewritten(
      shortened(token, 40), [](const model::CodePoint& c, View bytes, View) -> std::string {
        if (c.bytes == 0) return "\\x" + model::hex(static_cast<unsigned char>(bytes.front()), 2);
        switch (c.value) {
          case ' ': return "␣";
          case '\n': return "⏎";
          case '\t': return "⇥";
          case '\r': return "␍";
          default:
            return is_invisible(c.value) ? model::code_point_name(c.value) : std::string(bytes);
        }
      });
}

}  // namespace train
