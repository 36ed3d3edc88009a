#include "train/report/page.h"

#include <algorithm>

#include "model/base/utf8.h"
#include "train/system/words.h"

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

// write(character, bytes, rest) for each character of `text`; for a byte of none the character has no
// bytes.
template <class Write>
std::string rewritten(std::string_view text, Write write) {
  std::string out;
  while (!text.empty()) {
    const model::CodePoint c = model::first_code_point(text);
    const std::string_view bytes = text.substr(0, std::max<std::size_t>(c.size(), 1));
    text.remove_prefix(bytes.size());
    out += write(c, bytes, text);
  }
  return out;
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
  using View = std::string_view;
  return rewritten(text, [](const model::CodePoint& c, View bytes, View rest) -> View {
    if (c.value == '\r' && rest.starts_with('\n')) return "";
    if (c.bytes == 0 || is_forbidden(c.value)) return replacement;
    switch (c.value) {
      case '&': return "&amp;";
      case '<': return "&lt;";
      case '>': return "&gt;";
      case '"': return "&quot;";
      case '\'': return "&#39;";
      default: return bytes;
    }
  });
}

std::string label_of(std::string_view token) {
  using View = std::string_view;
  return rewritten(token, [](const model::CodePoint& c, View bytes, View) -> std::string {
    if (c.bytes == 0) return "\\x" + model::hex(static_cast<unsigned char>(bytes.front()), 2);
    switch (c.value) {
      case ' ': return "␣";
      case '\n': return "⏎";
      case '\t': return "⇥";
      case '\r': return "␍";
      default: return is_invisible(c.value) ? model::code_point_name(c.value) : std::string(bytes);
    }
  });
}

std::string element(std::string_view name, Attributes attributes, std::string_view html) {
  return joined(tag(name, attributes), ">", html, "</", name, ">");
}

std::string element(std::string_view name, Attributes attributes) {
  return tag(name, attributes) + "/>";
}

std::string explorable(std::string_view kind, std::string_view label, std::string_view html) {
  const std::string box = element(
      "div", {{"class", kind}, {"tabindex", 0}, {"role", "group"}, {"aria-label", label}}, html);
  return box + element("output", {{"class", "value"}, {"aria-live", "polite"}}, "");
}

std::string picture(std::string_view view_box, std::string_view label, std::string_view html) {
  const std::string svg =
      element("svg", {{"viewBox", view_box}, {"role", "img"}, {"aria-label", label}}, html);
  return joined("\n", svg);
}

std::string path(std::string_view kind, std::string_view d) {
  return element("path", {{"class", kind}, {"vector-effect", "non-scaling-stroke"}, {"d", d}});
}

std::string scrolling_table(std::string_view label, std::span<const std::string> columns,
                            std::string_view rows) {
  std::string heads;
  for (const std::string& column : columns)
    heads += element("th", {{"scope", "col"}}, escaped(column));
  const std::string html = joined("<thead><tr>", heads, "</tr></thead><tbody>\n", rows, "</tbody>");
  return element("section", {{"class", "wide"}, {"tabindex", 0}, {"aria-label", label}},
                 element("table", {}, html));
}

std::string table_row(std::string_view head, std::string_view html, std::string_view kind) {
  const std::string first = element("th", {{"scope", "row"}}, escaped(head));
  return element("tr", {{"class", kind}}, joined(first, html)) + "\n";
}

std::string number_cell(std::string_view text) {
  return element("td", {{"class", "n"}}, escaped(text));
}

std::string row_of_numbers(std::string_view head, std::span<const std::string> texts,
                           std::string_view kind) {
  std::string cells;
  for (const std::string& text : texts) cells += number_cell(text);
  return table_row(head, cells, kind);
}

std::string note(std::string_view text) {
  return element("p", {{"class", "note"}}, escaped(text)) + "\n";
}

std::string quote(std::string_view text) {
  return element("pre", {{"dir", "auto"}}, joined("\n", escaped(text)));
}

std::string sample(std::string_view title, std::string_view text) {
  return element("div", {}, element("h3", {}, escaped(title)) + quote(text)) + "\n";
}

std::string details(std::string_view summary, std::string_view html) {
  return element("details", {}, joined(element("summary", {}, escaped(summary)), html)) + "\n";
}

std::string tint(std::string_view colour, int percent, std::string_view on) {
  return joined("background:color-mix(in srgb,var(--", colour, ") ", percent, "%,", on, ")");
}

}  // namespace train
