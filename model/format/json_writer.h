// Writes JSON (RFC 8259):
//
//     JsonObject().add("kind", "word", "words", json_array(words)).text()
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/base/number.h"

namespace model {

// Text that is JSON already, to be part of a larger text.
struct JsonText {
  std::string json;
};

// `text` as a JSON string with its quotes; an error if it is not UTF-8.
std::string json_string(std::string_view text);

// A text, a number, a truth value, nullptr, a JsonText, a JsonObject or an optional one of these as
// JSON. A number that is not finite becomes null, as does an empty optional.
template <class Value>
std::string json_of(const Value& value) {
  if constexpr (std::is_same_v<Value, JsonText>)
    return value.json;
  else if constexpr (requires { value.text(); })
    return value.text();
  else if constexpr (requires { value.has_value(); })
    return value ? json_of(*value) : "null";
  else if constexpr (std::is_same_v<Value, std::nullptr_t>)
    return "null";
  else if constexpr (std::is_same_v<Value, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_integral_v<Value>)
    return std::to_string(value);
  else if constexpr (std::is_floating_point_v<Value>)
    return std::isfinite(value) ? engine::number_text(value) : "null";
  else
    return json_string(value);
}

// An object's members in the order in which they are added: add(key, value, key, value, ...).
class JsonObject {
 public:
  enum class Layout { compact, lines };  // lines: a member on each, for people to read
  explicit JsonObject(Layout layout = Layout::compact) : in_lines_(layout == Layout::lines) {}

  JsonObject& add(std::string_view key, const auto& value, const auto&... more) {
    members_ += members_.empty() ? "" : ",";
    members_ += in_lines_ ? "\n  " : "";
    (members_ += json_string(key)) += in_lines_ ? ": " : ":";
    members_ += json_of(value);
    if constexpr (sizeof...(more) > 0) add(more...);
    return *this;
  }
  std::string text() const { return '{' + members_ + (in_lines_ ? "\n}" : "}"); }

 private:
  bool in_lines_;
  std::string members_;
};

// `count` elements: element(0), element(1), ...; or all of `elements`; or element_of(e) for each e
// of `elements`.
JsonText json_array(std::int64_t count, auto element) {
  std::string json = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    json += json_of(element(i));
  }
  return {json += ']'};
}
template <std::ranges::range Elements>
JsonText json_array(const Elements& elements, auto element_of) {
  return json_array(std::ssize(elements), [&](std::int64_t i) {
    return element_of(elements[static_cast<std::size_t>(i)]);
  });
}
JsonText json_array(const auto& elements) {
  return json_array(
      elements, [](const auto& element) -> const auto& { return element; });
}

}  // namespace model
