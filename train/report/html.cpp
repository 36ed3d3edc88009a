#include "train/report/html.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/utf8.h"

namespace train {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

// Characters that HTML forbids: controls and noncharacters.
bool is_forbidden(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0) ||
         (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE;
}

// Each character of `text`, escaped, by way of change(character), which may return another text.
template <class Change>
std::string escaped(std::string_view text, Change change) {
  std::string html;
  while (!text.empty()) {
    const engine::CodePoint c = engine::first_code_point(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(c.size(), 1));
    const std::string_view other = c.bytes == 0 ? replacement : change(c.value);
    if (!other.empty())
      html += other;
    else if (is_forbidden(c.value))
      html += replacement;
    else
      switch (c.value) {
        case '&': html += "&amp;"; break;
        case '<': html += "&lt;"; break;
        case '>': html += "&gt;"; break;
        case '"': html += "&quot;"; break;
        case '\'': html += "&#39;"; break;
        default: html += character;
      }
    text.remove_prefix(character.size());
  }
  return html;
}

}  // namespace

std::string escaped(std::string_view text) {
  return escaped(text, [](char32_t) { return std::string_view(); });
}

std::string label_of(std::string_view token) {
  return escaped(token, [](char32_t c) -> std::string_view {
    return c == ' ' ? "␣" : c == '\n' ? "⏎" : c == '\t' ? "⇥" : c == '\r' ? "␍" : "";
  });
}

std::string scrolling_table(std::string_view label, std::span<const std::string> columns,
                            std::string_view rows, std::string_view attributes) {
  std::string heads;
  for (const std::string& column : columns)
    heads += engine::joined("<th scope=\"col\">", column, "</th>");
  return engine::joined("<section class=\"wide\" tabindex=\"0\" aria-label=\"", label,
                        "\">\n<table", attributes, "><thead><tr>", heads, "</tr></thead><tbody>\n",
                        rows, "</tbody></table>\n</section>\n");
}

}  // namespace train
