// JSON (RFC 8259): a reader for untrusted files, such as a safetensors header or a vocabulary, and
// what writes such files.
//
//     const Json json(text);
//     for (const Json::Value member : json.root().members())
//       sizes[std::string(member.key())] = member.integer();
//
// The text is read once, into a list of its values; a value is then found by its number in the list.
// So the memory is a small multiple of the text, whatever it says. Stricter than the standard where
// leniency would hide mistakes: duplicate keys in an object are errors, and so is text that is not
// UTF-8.
//
// Errors are engine::Error with the offset of the wrong byte:
// `byte 812: expected ',' or '}', found 'x'`.
//
//     JsonObject().add("kind", "word", "words", json_array(words)).text()
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/number.h"

namespace model {

class Json {
 public:
  enum class Type : std::uint8_t { null, boolean, integer, number, string, array, object };
  class Value;
  class Children;

  // Parses `text`, less than 4 GiB, with arrays and objects nested at most `max_depth` deep. Keeps
  // no view of `text`. All errors, also those of Value, begin with `about`.
  explicit Json(std::string_view text, int max_depth = 64, std::string_view about = {});

  Value root() const;

 private:
  friend class JsonReader;
  using Number = std::uint32_t;  // of a node
  static constexpr Number none = 0xFFFFFFFF;

  // A value, or the key of the value after it. What is in an array or object follows its node.
  struct Node {
    std::uint32_t offset;  // of its first byte in the text
    std::uint32_t size;  // an array or object: nodes, its own included; else bytes, without quotes
    Type type;
  };

  std::string_view string(Number node) const;  // of a string or a number
  Number after(Number node) const;             // the node that follows all of this one's

  std::string text_;  // the escapes of each string are resolved in its place
  std::vector<Node> nodes_;
  std::string about_;
};

// A handle to one value of a Json, which must outlive the handle and must not be moved. Reading a
// value as another type is an error: `byte 12: expected a string, found an array`.
class Json::Value {
 public:
  Type type() const { return node().type; }
  std::size_t offset() const { return node().offset; }
  std::string_view key() const;  // of a member of an object; else empty

  bool boolean() const;
  std::int64_t integer() const;  // no point, no exponent, fits 64 bits
  double number() const;         // integers too
  std::string_view string() const;

  Children elements() const;                              // of an array
  Children members() const;                               // of an object
  std::int64_t size() const;                              // elements or members: counted
  std::optional<Value> find(std::string_view key) const;  // linear search
  Value at(std::string_view key) const;                   // `byte 12: this object has no "shape"`

 private:
  friend class Json;
  friend class Children;
  Value(const Json& json, Number node, Number key) : json_(&json), node_(node), key_(key) {}
  const Node& node() const { return json_->nodes_[node_]; }
  void expect(Type expected) const;

  const Json* json_;
  Number node_, key_;  // key_: none if it is not a member
};

class Json::Children {
 public:
  class Iterator {
   public:
    Value operator*() const {
      return Value(*json_, in_object_ ? at_ + 1 : at_, in_object_ ? at_ : none);
    }
    Iterator& operator++() {
      at_ = json_->after(in_object_ ? at_ + 1 : at_);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    friend class Children;
    Iterator(const Json* json, Number at, bool in_object)
        : json_(json), at_(at), in_object_(in_object) {}

    const Json* json_;
    Number at_;  // of the value, or of its key
    bool in_object_;
  };
  Iterator begin() const { return iterator(parent_.node_ + 1); }
  Iterator end() const { return iterator(parent_.json_->after(parent_.node_)); }

 private:
  friend class Value;
  explicit Children(Value parent) : parent_(parent) {}
  Iterator iterator(Number at) const { return {parent_.json_, at, parent_.type() == Type::object}; }

  Value parent_;
};

// --- Writing -------------------------------------------------------------------------------------

// What is JSON already, to be a part of more.
struct JsonText {
  std::string json;
};

// `text` as a JSON string with its quotes; an error if it is not UTF-8.
std::string json_string(std::string_view text);

// A text, a number, a truth value, nullptr, a JsonText or a JsonObject as JSON. A number that is not
// finite becomes null.
template <class Value>
std::string json_of(const Value& value) {
  if constexpr (std::is_same_v<Value, JsonText>)
    return value.json;
  else if constexpr (requires { value.text(); })
    return value.text();
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

// `count` elements: element(0), element(1), ... or all of `elements`.
JsonText json_array(std::int64_t count, auto element) {
  std::string json = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    json += json_of(element(i));
  }
  return {json += ']'};
}
JsonText json_array(const auto& elements) {
  return json_array(std::ssize(elements),
                    [&](std::int64_t i) { return elements[static_cast<std::size_t>(i)]; });
}

}  // namespace model
