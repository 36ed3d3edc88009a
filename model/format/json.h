// JSON (RFC 8259): a reader for untrusted files, such as a safetensors header or a vocabulary. The
// writer is json_writer.h.
//
//     const Json json(text);
//     for (const Json::Value member : json.root().members())
//       sizes[std::string(member.key())] = member.integer();
//
// The text is parsed once into a list of its values; a value is then found by its number in the
// list. So memory is at most a small multiple of the text's size. Stricter than the standard where
// leniency would hide mistakes: duplicate keys in an object are errors, and so is text that is not
// UTF-8.
//
// Errors are Error with the offset of the wrong byte:
// `byte 812: expected ',' or '}', found 'x'`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  // A value, or the key of the value after it. The contents of an array or object follow its node.
  struct Node {
    std::uint32_t offset;  // of its first byte in the text
    std::uint32_t size;    // array or object: nodes, including its own; else bytes, without quotes
    Type type;
  };

  std::string_view string(Number node) const;  // of a string or a number
  Number after(Number node) const;             // the node after this one and its contents

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

}  // namespace model
