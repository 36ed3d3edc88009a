// A small JSON reader (RFC 8259) for untrusted files: a safetensors header, a vocabulary.
//
//     const Json json(text);
//     for (const Json::Value member : json.root().members())
//       sizes[std::string(member.key())] = member.integer();
//
// All values lie in one array in the order of the text; each stores the index after its last
// descendant. A value's first child is the next entry, its next sibling the entry at that index. So
// reading, walking and freeing need neither recursion nor pointers, and memory is at most a fixed
// multiple of the text. Stricter than the standard where leniency would hide mistakes: duplicate
// keys in an object are errors, and so is text that is not UTF-8.
//
// Errors are engine::Error with the offset of the wrong byte:
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
  struct Span {  // of strings_
    std::uint32_t begin, size;
  };
  struct Node {
    std::uint32_t offset;  // of the value's first byte in the text
    std::uint32_t end;     // index of the next node that is not inside this one
    Span key;              // of a member of an object; else empty
    union {
      bool boolean;
      std::int64_t integer;
      double number;
      Span string;
      std::int64_t children;
    };
    Type type;
  };

  std::vector<Node> nodes_;
  std::string strings_;  // all keys and strings, escapes resolved
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
  std::int64_t size() const;                              // elements or members
  std::optional<Value> find(std::string_view key) const;  // linear search
  Value at(std::string_view key) const;                   // `byte 12: this object has no "shape"`

 private:
  friend class Json;
  Value(const Json& json, std::uint32_t index) : json_(&json), index_(index) {}
  const Node& node() const { return json_->nodes_[index_]; }
  const Node& node(Type expected) const;

  const Json* json_;
  std::uint32_t index_;
};

class Json::Children {
 public:
  class Iterator {
   public:
    Value operator*() const { return value_; }
    Iterator& operator++() {
      value_.index_ = value_.node().end;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return value_.index_ != other.value_.index_; }

   private:
    friend class Children;
    explicit Iterator(Value value) : value_(value) {}
    Value value_;
  };
  Iterator begin() const { return Iterator({*parent_.json_, parent_.index_ + 1}); }
  Iterator end() const { return Iterator({*parent_.json_, parent_.node().end}); }

 private:
  friend class Value;
  explicit Children(Value parent) : parent_(parent) {}
  Value parent_;
};

// `text` as a JSON string with its quotes; an error if it is not UTF-8.
std::string json_string(std::string_view text);

}  // namespace model
