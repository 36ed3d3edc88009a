// Text inside an HTML page.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace train {

// `text` for an element's contents or a quoted attribute: what has a meaning in HTML is escaped;
// bytes that are not UTF-8, and characters that no page may hold, become U+FFFD. Line feeds and tabs
// stay, carriage returns before line feeds go.
std::string escaped(std::string_view text);

// A token as a label, on one line: a space is ␣, a line feed ⏎, a tab ⇥, a carriage return ␍, other
// characters that cannot be seen by their numbers, U+200E, bytes of no character as \xd0; escaped.
std::string label_of(std::string_view token);

// A table that scrolls by itself if there is no room for it. label: what it is, for screen readers;
// columns: their heads; rows: HTML.
std::string scrolling_table(std::string_view label, std::span<const std::string> columns,
                            std::string_view rows, std::string_view attributes = {});

// A cell of numbers.
inline std::string number_cell(std::string_view text) {
  return "<td class=\"n\">" + std::string(text) + "</td>";
}

}  // namespace train
