// A small JSON reader (RFC 8259) for untrusted files: a safetensors header, a vocabulary.
//
//     const Json json(text);
//     for (const Json::Value member : json.root().members())
//       sizes[std::string(member.key())] = member.integer();
//
// A Json is its text, checked, and nothing else: a value is found again where it is written, so the
// memory is that of the text and, while it is checked, four bytes for each key of the objects that
// are open. Reading, walking and freeing need neither recursion nor pointers. To go to a value's
// next sibling is to skip the value, so walking is linear in the text at each depth. Stricter than
// the standard where leniency would hide mistakes: duplicate keys in an object are errors, and so is
// text that is not UTF-8.
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
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  // The string whose quote is at `offset`.
  std::string_view string_at(std::size_t offset) const;
  // Where the spaces at `offset` end; where the value, or key, at `offset` and the spaces after it do.
  std::uint32_t skip_spaces(std::size_t offset) const;
  std::uint32_t skip(std::size_t offset) const;

  // The escapes of each string are resolved in its place. The bytes that are left over, and the
  // closing quote, are string_end, which occurs in no UTF-8.
  static constexpr char string_end = '\xFF';
  std::string text_;
  std::string about_;
};

// A handle to one value of a Json, which must outlive the handle and must not be moved. Reading a
// value as another type is an error: `byte 12: expected a string, found an array`.
class Json::Value {
 public:
  Type type() const;
  std::size_t offset() const { return offset_; }
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
  Value(const Json& json, std::uint32_t offset, std::uint32_t key)
      : json_(&json), offset_(offset), key_(key) {}
  void expect(Type expected) const;
  std::string_view digits() const;

  const Json* json_;
  std::uint32_t offset_;
  std::uint32_t key_;  // the offset of its key's quote, or none
};

class Json::Children {
 public:
  class Iterator {
   public:
    Value operator*() const { return value_; }
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return value_.offset_ != other.value_.offset_; }

   private:
    friend class Children;
    explicit Iterator(Value value) : value_(value) {}
    void read(std::uint32_t before, bool in_object);

    Value value_;
  };
  Iterator begin() const;
  Iterator end() const { return Iterator({*parent_.json_, none, none}); }

 private:
  friend class Value;
  explicit Children(Value parent) : parent_(parent) {}
  Value parent_;
};

// `text` as a JSON string with its quotes; an error if it is not UTF-8.
std::string json_string(std::string_view text);

// `[element(0),element(1),...]` of `count` elements: element(i) is the text of one.
std::string json_array(std::int64_t count, auto element) {
  std::string json = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) json += ',';
    json += element(i);
  }
  return json += ']';
}

}  // namespace model
