#include "train/report/html.h"

#include <algorithm>

#include "engine/base/utf8.h"

namespace train {

using engine::joined;

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

struct Character {
  engine::CodePoint code;  // of no bytes if these are of no character
  std::string_view bytes;
};

// Removes the first character from `text`.
Character take(std::string_view& text) {
  const engine::CodePoint code = engine::first_code_point(text);
  const std::string_view bytes = text.substr(0, std::max<std::size_t>(code.size(), 1));
  text.remove_prefix(bytes.size());
  return {code, bytes};
}

std::string tag(std::string_view name, Attributes attributes) {
  std::string tag = joined("<", name);
  for (const Attribute& attribute : attributes)
    if (!attribute.value.empty())
      tag += joined(' ', attribute.name, "=\"", escaped(attribute.value), '"');
  return tag;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const bool ends_a_line = text.starts_with("\r\n");
    const auto [code, bytes] = take(text);
    if (ends_a_line) continue;
    if (code.bytes == 0 || is_forbidden(code.value)) {
      html += replacement;
      continue;
    }
    switch (code.value) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default: html += bytes;
    }
  }
  return html;
}

std::string label_of(std::string_view token) {
  std::string label;
  while (!token.empty()) {
    const auto [code, bytes] = take(token);
    if (code.bytes == 0) {
      label += "\\x" + engine::hex(static_cast<unsigned char>(bytes.front()), 2);
      continue;
    }
    switch (code.value) {
      case ' ': label += "␣"; break;
      case '\n': label += "⏎"; break;
      case '\t': label += "⇥"; break;
      case '\r': label += "␍"; break;
      default: label += is_invisible(code.value) ? engine::code_point_name(code.value) : bytes;
    }
  }
  return label;
}

std::string element(std::string_view name, Attributes attributes, std::string_view html) {
  return joined(tag(name, attributes), ">", html, "</", name, ">");
}

std::string element(std::string_view name, Attributes attributes) {
  return tag(name, attributes) + "/>";
}

std::string explorable(std::string_view kind, std::string_view label, std::string_view html) {
  return joined(
      element("div", {{"class", kind}, {"tabindex", 0}, {"role", "group"}, {"aria-label", label}},
              html),
      "\n", element("output", {{"class", "value"}, {"aria-live", "polite"}}, ""), "\n");
}

std::string scrolling_table(std::string_view label, std::span<const std::string> columns,
                            std::string_view rows, Attributes attributes) {
  std::string heads;
  for (const std::string& column : columns)
    heads += element("th", {{"scope", "col"}}, escaped(column));
  const std::string table =
      element("table", attributes,
              joined("<thead><tr>", heads, "</tr></thead><tbody>\n", rows, "</tbody>"));
  return element("section", {{"class", "wide"}, {"tabindex", 0}, {"aria-label", label}},
                 "\n" + table + "\n") +
         "\n";
}

std::string table_row(std::string_view head, std::string_view html, std::string_view kind) {
  return element("tr", {{"class", kind}},
                 joined(element("th", {{"scope", "row"}}, escaped(head)), html)) +
         "\n";
}

std::string number_cell(std::string_view text) {
  return element("td", {{"class", "n"}}, escaped(text));
}

std::string note(std::string_view text) {
  return element("p", {{"class", "note"}}, escaped(text)) + "\n";
}

std::string quote(std::string_view text) {
  return element("pre", {{"dir", "auto"}}, joined("\n", escaped(text)));
}

std::string sample(std::string_view title, std::string_view text) {
  return element("div", {}, element("h3", {}, escaped(title)) + "\n" + quote(text)) + "\n";
}

std::string details(std::string_view summary, std::string_view html) {
  return element("details", {}, joined(element("summary", {}, escaped(summary)), "\n", html)) +
         "\n";
}

std::string tint(std::string_view colour, int percent, std::string_view on) {
  return joined("background:color-mix(in srgb,var(--", colour, ") ", percent, "%,", on, ")");
}

}  // namespace train
