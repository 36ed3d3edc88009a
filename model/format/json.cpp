#include "model/format/json.h"

#include <algorithm>

#include "engine/base/number.h"
#include "model/base/utf8.h"
#include "model/base/words.h"

namespace model {

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
  JsonReader(Json& json, int max_depth)
      : json_(json), bytes_(json.text_.data()), text_(json.text_), max_depth_(max_depth) {}

  void read() {
    // Offsets are stored in 32 bits.
    check(text_.size() < Json::none, json_.about_, "JSON of ", text_.size(),
          " bytes, expected less than 4 GiB");
    // One of these precedes each node except the root, so the list is allocated once.
    const auto is_before_node = [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; };
    json_.nodes_.reserve(unsigned_size(1 + std::ranges::count_if(text_, is_before_node)));
    skip_spaces();
    read_value();
    if (at_ < text_.size()) expected("the end");
  }

 private:
  void add(Json::Type type, std::size_t begin, std::size_t size) {
    json_.nodes_.push_back(
        {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size), type});
  }

  // And the spaces after it.
  void read_value() {
    const std::size_t begin = at_;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '{' || c == '[')
      read_children(c == '{');
    else if (c == '"')
      read_string();
    else if (c == '-' || engine::is_digit(c))
      read_number();
    else if (take_word("true") || take_word("false"))
      add(Json::Type::boolean, begin, at_ - begin);
    else if (take_word("null"))
      add(Json::Type::null, begin, at_ - begin);
    else
      expected("a value");
    skip_spaces();
  }

  // An array or object.
  void read_children(bool is_object) {
    check(depth_ < max_depth_, json_.about_, "byte ", at_, ": nested more than ", max_depth_,
          " deep");
    const std::size_t node = json_.nodes_.size(), first_key = keys_.size();
    add(is_object ? Json::Type::object : Json::Type::array, at_, 0);
    ++depth_;
    ++at_;
    skip_spaces();
    for (bool is_first = true; !take(is_object ? '}' : ']'); is_first = false) {
      if (!is_first && !take(',')) expected(is_object ? "',' or '}'" : "',' or ']'");
      if (is_object) read_key();
      read_value();
    }
    json_.nodes_[node].size = static_cast<std::uint32_t>(json_.nodes_.size() - node);
    refuse_duplicates(first_key);
    --depth_;
  }

  void read_key() {
    if (at_ == text_.size() || text_[at_] != '"') expected("a key in double quotes");
    keys_.push_back(static_cast<Json::Number>(json_.nodes_.size()));
    read_string();
    skip_spaces();
    if (!take(':')) expected("':'");
  }

  // Sorts the keys of one object, from first_key on, and forgets them: duplicates become neighbors.
  void refuse_duplicates(std::size_t first_key) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first_key);
    const auto text = [&](Json::Number key) { return json_.string(key); };
    std::sort(begin, keys_.end(), [&](Json::Number a, Json::Number b) {
      const int order = text(a).compare(text(b));
      return order != 0 ? order < 0 : a < b;
    });
    const auto same = std::ranges::adjacent_find(begin, keys_.end(), {}, text);
    if (same != keys_.end())
      fail(json_.about_, "byte ", json_.nodes_[same[1] + 1].offset, ": second value for the key ",
           in_quotes(text(*same)));
    keys_.resize(first_key);
  }

  // number = `-`? (0 | 1-9 digits) (. digits)? (e|E (+|-)? digits)?
  void read_number() {
    const std::size_t begin = at_;
    take_any("-");
    if (!take_any("0")) skip_digits();
    const std::size_t integer_end = at_;
    if (take_any(".")) skip_digits();
    if (take_any("eE")) {
      take_any("+-");
      skip_digits();
    }
    const bool is_integer = at_ == integer_end;
    const std::string_view number = text_.substr(begin, at_ - begin);
    std::int64_t integer = 0;
    double real = 0;
    const engine::Parsed parsed =
        is_integer ? engine::parse_number(number, integer) : engine::parse_number(number, real);
    check(parsed == engine::Parsed::ok, json_.about_, "byte ", begin, ": ", number.substr(0, 40),
          number.size() > 40 ? "..." : "", " does not fit a 64-bit ",
          is_integer ? "integer" : "floating-point number");
    add(is_integer ? Json::Type::integer : Json::Type::number, begin, number.size());
  }

  // The unescaped string overwrites its own text, which is at least as long.
  void read_string() {
    const std::size_t begin = at_++;
    std::size_t to = at_;
    const auto put = [&](std::string_view bytes) {
      if (bytes_ + to != bytes.data()) std::copy(bytes.begin(), bytes.end(), bytes_ + to);
      to += bytes.size();
    };
    for (;;) {
      const std::size_t plain = at_;  // most strings are one run of plain characters
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      put(text_.substr(plain, at_ - plain));
      if (take('"', false)) break;
      if (at_ == text_.size()) expected("'\"'");
      if (is_control(text_[at_]))
        fail(json_.about_, "byte ", at_, ": control character 0x",
             hex(static_cast<unsigned char>(text_[at_]), 2), " in a string, expected it escaped");
      if (text_[at_] == '\\') {
        std::string character;
        append_utf8(character, read_escape());
        put(character);
      } else {
        const std::size_t bytes = first_code_point(text_.substr(at_)).size();
        if (bytes == 0)
          fail(json_.about_, "byte ", at_, ": 0x", hex(static_cast<unsigned char>(text_[at_]), 2),
               " is not UTF-8");
        put(text_.substr(at_, bytes));
        at_ += bytes;
      }
    }
    add(Json::Type::string, begin, to - (begin + 1));
  }

  char32_t read_escape() {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const std::size_t begin = at_++;
    const auto letter = at_ < text_.size() ? letters.find(text_[at_]) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      ++at_;
      return static_cast<unsigned char>(meanings[letter]);
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
    return code;
  }

  char32_t read_hex4() {
    char32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
      const std::size_t digit = hex_digits.find(lower);
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

  Json& json_;
  char* const bytes_;            // of the text: strings are changed in place,
  const std::string_view text_;  // behind at_
  const int max_depth_;
  int depth_ = 0;
  std::size_t at_ = 0;
  std::vector<Json::Number> keys_;  // of the open objects
};

Json::Json(std::string_view text, int max_depth, std::string_view about)
    : text_(text), about_(about) {
  JsonReader(*this, max_depth).read();
}

std::string_view Json::string(Number node) const {
  const auto [offset, size, type] = nodes_[node];
  return std::string_view(text_).substr(type == Type::string ? offset + 1 : offset, size);
}

Json::Number Json::after(Number node) const {
  const auto [offset, size, type] = nodes_[node];
  return node + (type == Type::array || type == Type::object ? size : 1);
}

Json::Value Json::root() const { return Value(*this, 0, none); }

void Json::Value::expect(Type expected) const {
  if (type() != expected)
    fail(json_->about_, "byte ", offset(), ": expected ", name(expected), ", found ", name(type()));
}

std::string_view Json::Value::key() const {
  return key_ == none ? std::string_view() : json_->string(key_);
}

bool Json::Value::boolean() const {
  expect(Type::boolean);
  return json_->text_[offset()] == 't';
}

std::int64_t Json::Value::integer() const {
  expect(Type::integer);
  std::int64_t value = 0;
  (void)engine::parse_number(json_->string(node_), value);  // it fits: read_number
  return value;
}

double Json::Value::number() const {
  if (type() == Type::integer) return static_cast<double>(integer());
  expect(Type::number);
  double value = 0;
  (void)engine::parse_number(json_->string(node_), value);
  return value;
}

std::string_view Json::Value::string() const {
  expect(Type::string);
  return json_->string(node_);
}

Json::Children Json::Value::elements() const {
  expect(Type::array);
  return Children(*this);
}

Json::Children Json::Value::members() const {
  expect(Type::object);
  return Children(*this);
}

std::int64_t Json::Value::size() const {
  if (type() != Type::array && type() != Type::object)
    fail(json_->about_, "byte ", offset(), ": expected an array or an object, found ",
         name(type()));
  std::int64_t count = 0;
  for ([[maybe_unused]] const Value child : Children(*this)) ++count;
  return count;
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

}  // namespace model
