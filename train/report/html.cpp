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

// Spaces of other widths, joiners, and marks of direction, which nobody would see in a label.
bool is_invisible(char32_t c) {
  return c == 0xA0 || c == 0xAD || (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
         (c >= 0x205F && c <= 0x206F) || c == 0x3000 || c == 0xFEFF;
}

// The first character of `text`, escaped, which is removed from it.
std::string take_escaped(std::string_view& text, const engine::CodePoint& c) {
  const std::string_view character = text.substr(0, std::max<std::size_t>(c.size(), 1));
  text.remove_prefix(character.size());
  if (c.bytes == 0 || is_forbidden(c.value)) return std::string(replacement);
  switch (c.value) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return std::string(character);
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const bool ends_a_line = text.starts_with("\r\n");
    const std::string character = take_escaped(text, engine::first_code_point(text));
    if (!ends_a_line) html += character;
  }
  return html;
}

std::string label_of(std::string_view token) {
  std::string html;
  while (!token.empty()) {
    const engine::CodePoint c = engine::first_code_point(token);
    const auto first = static_cast<unsigned char>(token.front());
    const std::string shown = take_escaped(token, c);
    if (c.bytes == 0) {  // part of a character, or of none
      html += "\\x" + engine::hex(first, 2);
      continue;
    }
    switch (c.value) {
      case ' ': html += "␣"; break;
      case '\n': html += "⏎"; break;
      case '\t': html += "⇥"; break;
      case '\r': html += "␍"; break;
      default: html += is_invisible(c.value) ? engine::code_point_name(c.value) : shown;
    }
  }
  return html;
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
