// What tests look for in a page: elements by the beginning of their tags, and their attributes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "tests/catch.h"

namespace markup {

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

// What stands between the first `begin` and the `end` after it.
inline std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin), from = at + begin.size();
  INFO("between " << begin << " and " << end);
  REQUIRE(at != text.npos);
  REQUIRE(text.find(end, from) != text.npos);
  return std::string(text.substr(from, text.find(end, from) - from));
}

// All parts that are between a `begin` and the `end` after it.
inline std::vector<std::string> all_between(std::string_view text, std::string_view begin,
                                            std::string_view end) {
  std::vector<std::string> parts;
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1))
    parts.push_back(between(text.substr(at), begin, end));
  return parts;
}

// Of the attributes of a tag.
inline std::string attribute(std::string_view tag, std::string_view name) {
  return between(tag, engine::joined(' ', name, "=\""), "\"");
}

inline double number(std::string_view text) {
  double value = 0;
  INFO("\"" << text << "\"");
  REQUIRE(engine::parse_number(text, value) == engine::Parsed::ok);
  return value;
}

// A number of a chart: where its corner is in the picture, and what its table says.
struct Mark {
  std::string series;
  double x, y, cx, cy;
  bool drawn;  // not above the picture
};

// 1,234.5 as the tables write it.
inline double table_number(std::string text) {
  std::erase(text, ',');
  return number(text);
}

// Of each series its corners, in order, with the numbers of its column.
inline std::vector<Mark> marks_of(const std::string& chart) {
  std::vector<Mark> marks;
  const std::vector<std::string> lines = all_between(chart, "<g data-series", "</g>");
  const std::vector<std::string> rows =
      all_between(between(chart, "<tbody>\n", "</tbody>"), "<tr>", "</tr>");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string d = lines[i].substr(lines[i].rfind(" d=\"") + 4);
    auto row = rows.begin();
    for (std::size_t at = d.find_first_of("ML"); at != d.npos; at = d.find_first_of("ML", at + 1)) {
      const auto cell = [&] { return all_between(*row, "<td class=\"n\">", "</td>").at(i); };
      while (cell().empty()) ++row;
      const std::size_t end = d.find_first_of("MLh\"", at + 1), middle = d.find(' ', at);
      const bool drawn =
          lines[i].find("h0") == std::string::npos ? d[end] == 'L' || d[at] == 'L' : d[end] == 'h';
      marks.push_back({attribute(" data-series" + lines[i], "data-series"),
                       table_number(between(*row, "<th scope=\"row\">", "</th>")),
                       table_number(cell()), number(d.substr(at + 1, middle - at - 1)),
                       number(d.substr(middle + 1, end - middle - 1)), drawn});
      ++row;
    }
    CHECK(std::all_of(row, rows.end(), [&](const std::string& left) {
      return all_between(left, "<td class=\"n\">", "</td>").at(i).empty();
    }));
  }
  return marks;
}

}  // namespace markup
