#include "model/format/json.h"

#include <algorithm>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/number.h"
#include "engine/base/utf8.h"

namespace model {

using engine::append_utf8;
using engine::check;
using engine::fail;
using engine::first_code_point;
using engine::hex;
using engine::in_quotes;
using engine::valid_utf8_prefix;

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

const char* name(Json::Type type) {
  switch (type) {
    case Json::Type::null: return "null";
    case Json::Type::boolean: return "true or false";
    case Json::Type::integer: return "an integer";
    case Json::Type::number: return "a number";
    case Json::Type::string: return "a string";
    case Json::Type::array: return "an array";
    case Json::Type::object: return "an object";
  }
  return "";
}

}  // namespace

class JsonReader {
 public:
  JsonReader(Json& json, std::string_view text, int max_depth)
      : json_(json), text_(text), max_depth_(engine::unsigned_size(std::max(max_depth, 0))) {}

  void read() {
    // Offsets are stored in 32 bits.
    check(text_.size() < std::numeric_limits<std::uint32_t>::max(), json_.about_, "JSON of ",
          text_.size(), " bytes, expected less than 4 GiB");
    Json::Span key{};
    skip_spaces();
    do {
      read_value(key);
    } while (another_value(key));
    if (at_ < text_.size()) expected("the end");
  }

 private:
  // Reads a scalar, or the opening bracket of an array or object: its contents are further values.
  void read_value(Json::Span key) {
    Json::Node node{};
    node.offset = offset();
    node.end = static_cast<std::uint32_t>(json_.nodes_.size() + 1);
    node.key = key;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '{' || c == '[') {
      check(open_.size() < max_depth_, json_.about_, "byte ", at_, ": nested more than ",
            max_depth_, " deep");
      node.type = c == '{' ? Json::Type::object : Json::Type::array;
      node.children = 0;
      open_.push_back(json_.nodes_.size());
      just_opened_ = true;
      ++at_;
    } else if (c == '"') {
      node.type = Json::Type::string;
      node.string = read_string();
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      read_number(node);
    } else if (take_word("true") || take_word("false")) {
      node.type = Json::Type::boolean;
      node.boolean = c == 't';
    } else if (take_word("null")) {
      node.type = Json::Type::null;
    } else {
      expected("a value");
    }
    json_.nodes_.push_back(node);
    skip_spaces();
  }

  // Closes the arrays and objects that end here. True if another value follows, and its key, if it
  // has one; false after the root.
  bool another_value(Json::Span& key) {
    while (!open_.empty()) {
      Json::Node& parent = json_.nodes_[open_.back()];
      const bool object = parent.type == Json::Type::object;
      if (take(object ? '}' : ']')) {
        parent.end = static_cast<std::uint32_t>(json_.nodes_.size());
        if (object) refuse_duplicates(open_.back());
        open_.pop_back();
        just_opened_ = false;
      } else {
        if (!just_opened_ && !take(',')) expected(object ? "',' or '}'" : "',' or ']'");
        just_opened_ = false;
        ++parent.children;
        key = object ? read_key() : Json::Span{};
        return true;
      }
    }
    return false;
  }

  Json::Span read_key() {
    if (at_ == text_.size() || text_[at_] != '"') expected("a key in double quotes");
    const Json::Span key = read_string();
    skip_spaces();
    if (!take(':')) expected("':'");
    return key;
  }

  // Sorts the members of one object by their keys: duplicates become neighbours.
  void refuse_duplicates(std::size_t object) {
    members_.clear();
    for (std::size_t i = object + 1; i < json_.nodes_.size(); i = json_.nodes_[i].end)
      members_.push_back(i);
    const auto key = [&](std::size_t i) {
      const Json::Span span = json_.nodes_[i].key;
      return std::string_view(json_.strings_).substr(span.begin, span.size);
    };
    std::sort(members_.begin(), members_.end(), [&](std::size_t a, std::size_t b) {
      const int order = key(a).compare(key(b));
      return order != 0 ? order < 0 : a < b;
    });
    for (std::size_t i = 1; i < members_.size(); ++i)
      check(key(members_[i - 1]) != key(members_[i]), json_.about_, "byte ",
            json_.nodes_[members_[i]].offset, ": second value for the key ",
            in_quotes(key(members_[i])));
  }

  // number = `-`? (0 | 1-9 digits) (. digits)? (e|E (+|-)? digits)?
  void read_number(Json::Node& node) {
    const std::size_t begin = at_;
    take_any("-");
    if (!take_any("0")) skip_digits();
    const std::size_t integer_end = at_;
    if (take_any(".")) skip_digits();
    if (take_any("eE")) {
      take_any("+-");
      skip_digits();
    }
    const bool integer = at_ == integer_end;

    const std::string_view number = text_.substr(begin, at_ - begin);
    node.type = integer ? Json::Type::integer : Json::Type::number;
    const engine::Parsed parsed = integer ? engine::parse_number(number, node.integer)
                                          : engine::parse_number(number, node.number);
    check(parsed == engine::Parsed::ok, json_.about_, "byte ", begin, ": ", number.substr(0, 40),
          number.size() > 40 ? "..." : "", " does not fit a 64-bit ",
          integer ? "integer" : "floating-point number");
  }

  Json::Span read_string() {
    Json::Span span{};
    span.begin = static_cast<std::uint32_t>(json_.strings_.size());
    ++at_;
    for (;;) {
      const std::size_t plain = at_;  // most strings are one run of plain characters
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      json_.strings_.append(text_, plain, at_ - plain);
      if (take('"', false)) break;
      if (at_ == text_.size()) expected("'\"'");
      check(!is_control(text_[at_]), json_.about_, "byte ", at_, ": control character 0x",
            hex(static_cast<unsigned char>(text_[at_]), 2), " in a string, expected it escaped");
      if (text_[at_] == '\\') {
        read_escape();
      } else {
        const std::size_t bytes = first_code_point(text_.substr(at_)).size();
        check(bytes > 0, json_.about_, "byte ", at_, ": 0x",
              hex(static_cast<unsigned char>(text_[at_]), 2), " is not UTF-8");
        json_.strings_.append(text_, at_, bytes);
        at_ += bytes;
      }
    }
    span.size = static_cast<std::uint32_t>(json_.strings_.size()) - span.begin;
    return span;
  }

  void read_escape() {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const std::size_t begin = at_++;
    const auto letter = at_ < text_.size() ? letters.find(text_[at_]) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      json_.strings_ += meanings[letter];
      ++at_;
      return;
    }
    if (!take('u', false)) expected("one of \"\\/bfnrtu after '\\'");
    char32_t code = read_hex4();
    if (code >= 0xD800 && code < 0xE000) {
      // Above U+FFFF: two escapes, D800..DBFF with the high ten bits, DC00..DFFF with the low.
      bool pair = code < 0xDC00 && text_.substr(at_, 2) == "\\u";
      if (pair) {
        at_ += 2;
        const char32_t low = read_hex4();
        pair = low >= 0xDC00 && low < 0xE000;
        code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
      }
      check(pair, json_.about_, "byte ", begin, ": half of a surrogate pair");
    }
    append_utf8(json_.strings_, code);
  }

  char32_t read_hex4() {
    char32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
      const std::size_t digit = engine::hex_digits.find(lower);
      if (digit == std::string_view::npos) expected("a hexadecimal digit");
      value = value << 4 | static_cast<char32_t>(digit);
    }
    return value;
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  void skip_digits() {
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    if (at_ == first) expected("a digit");
  }

  bool take_any(std::string_view characters) {
    if (at_ == text_.size() || characters.find(text_[at_]) == std::string_view::npos) return false;
    ++at_;
    return true;
  }

  bool take(char c, bool spaces_after = true) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    if (spaces_after) skip_spaces();
    return true;
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  [[noreturn]] void expected(const char* what) const {
    if (at_ == text_.size())
      fail(json_.about_, "byte ", at_, ": expected ", what, ", found the end");
    const char c = text_[at_];
    if (c > ' ' && c <= '~')
      fail(json_.about_, "byte ", at_, ": expected ", what, ", found '", c, "'");
    fail(json_.about_, "byte ", at_, ": expected ", what, ", found 0x",
         hex(static_cast<unsigned char>(c), 2));
  }

  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_); }

  Json& json_;
  const std::string_view text_;
  const std::size_t max_depth_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;  // the arrays and objects around at_, outermost first
  bool just_opened_ = false;       // at_ is after the opening bracket of open_.back()
  std::vector<std::size_t> members_;
};

Json::Json(std::string_view text, int max_depth, std::string_view about) : about_(about) {
  JsonReader(*this, text, max_depth).read();
}

Json::Value Json::root() const { return Value(*this, 0); }

const Json::Node& Json::Value::node(Type expected) const {
  check(type() == expected, json_->about_, "byte ", offset(), ": expected ", name(expected),
        ", found ", name(type()));
  return node();
}

std::string_view Json::Value::key() const {
  return std::string_view(json_->strings_).substr(node().key.begin, node().key.size);
}

bool Json::Value::boolean() const { return node(Type::boolean).boolean; }

std::int64_t Json::Value::integer() const { return node(Type::integer).integer; }

double Json::Value::number() const {
  if (type() == Type::integer) return static_cast<double>(node().integer);
  return node(Type::number).number;
}

std::string_view Json::Value::string() const {
  const Span span = node(Type::string).string;
  return std::string_view(json_->strings_).substr(span.begin, span.size);
}

Json::Children Json::Value::elements() const {
  node(Type::array);  // checks the type
  return Children(*this);
}

Json::Children Json::Value::members() const {
  node(Type::object);  // checks the type
  return Children(*this);
}

std::int64_t Json::Value::size() const {
  check(type() == Type::array || type() == Type::object, json_->about_, "byte ", offset(),
        ": expected an array or an object, found ", name(type()));
  return node().children;
}

std::optional<Json::Value> Json::Value::find(std::string_view key) const {
  for (const Value member : members())
    if (member.key() == key) return member;
  return std::nullopt;
}

Json::Value Json::Value::at(std::string_view key) const {
  const std::optional<Value> member = find(key);
  check(member.has_value(), json_->about_, "byte ", offset(), ": this object has no ",
        in_quotes(key));
  return *member;
}

std::string json_string(std::string_view text) {
  const std::size_t valid = valid_utf8_prefix(text);
  check(valid == text.size(), "JSON string: byte ", valid, " of the text is not UTF-8");
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (is_control(c)) {
      out += "\\u" + hex(static_cast<unsigned char>(c), 4);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out += '"';
}

}  // namespace model
