// What tests look for in a page: elements by the beginning of their tags, and their attributes.
#pragma once

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

}  // namespace markup
