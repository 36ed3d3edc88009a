// A page: an HTML document with its style and script inside, which needs nothing from anywhere; its
// elements, and what its sections have in common.
//
// One rule: a parameter called html or rows is HTML, and so is what a function returns, but for
// label_of and tint; all other texts are plain, and are escaped where they are written.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "train/system/words.h"

namespace train {

// `text` for an element's contents or a quoted attribute: what has a meaning in HTML is escaped;
// bytes that are not UTF-8, and characters that no page may hold, become U+FFFD. Line feeds and tabs
// stay, carriage returns before line feeds go.
std::string escaped(std::string_view text);

// A token as a label, on one line, as plain text: a space is ␣, a line feed ⏎, a tab ⇥, a carriage
// return ␍, other characters that cannot be seen by their numbers, U+200E, bytes of no character as
// \xd0.
std::string label_of(std::string_view token);

// One with an empty value is left out.
struct Attribute {
  template <class Value>
  Attribute(std::string_view name_, const Value& value_) : name(name_), value(joined(value_)) {}
  std::string_view name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

// <name a="1">html</name>, and <name a="1"/>, of SVG.
std::string element(std::string_view name, Attributes attributes, std::string_view html);
std::string element(std::string_view name, Attributes attributes);

// A picture or text with a place to look at, moved by pointer and arrow keys, and the line that says
// what is there. kind: its class; label: what it is, for screen readers.
std::string explorable(std::string_view kind, std::string_view label, std::string_view html);
// An <svg>, on a line of its own, and one of its lines or areas, whose strokes are in pixels.
std::string picture(std::string_view view_box, std::string_view label, std::string_view html);
std::string path(std::string_view kind, std::string_view d);

// A table that scrolls by itself if there is no room for it. label: as above; columns: their heads.
std::string scrolling_table(std::string_view label, std::span<const std::string> columns,
                            std::string_view rows);
std::string table_row(std::string_view head, std::string_view html, std::string_view kind = {});
std::string number_cell(std::string_view text);
std::string row_of_numbers(std::string_view head, std::span<const std::string> texts,
                           std::string_view kind = {});

std::string note(std::string_view text);                               // below a picture or table
std::string quote(std::string_view text);                              // in the words of a model
std::string sample(std::string_view title, std::string_view text);     // with a heading
std::string details(std::string_view summary, std::string_view html);  // opened by a click

// A style: so many per cent of a colour of the page on another.
std::string tint(std::string_view colour, int percent, std::string_view on = "transparent");

// The whole page. Without its script every picture and number is there; the script adds the values
// under the pointer and the arrow keys. reloads: every few seconds.
std::string page(const std::string& title, const std::string& html, bool reloads = false);

}  // namespace train
