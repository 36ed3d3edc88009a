#include "model/format/json.h"

#include <algorithm>

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
  JsonReader(Json& json, int max_depth)
      : json_(json),
        bytes_(json.text_.data()),
        text_(json.text_),
        max_depth_(engine::unsigned_size(std::max(max_depth, 0))) {}

  void read() {
    // Offsets are stored in 32 bits.
    check(text_.size() < Json::none, json_.about_, "JSON of ", text_.size(),
          " bytes, expected less than 4 GiB");
    skip_spaces();
    do {
      read_value();
    } while (another_value());
    if (at_ < text_.size()) expected("the end");
  }

 private:
  // An array or object around at_.
  struct Open {
    std::size_t first_key;  // of its keys in keys_
    bool is_object;
  };

  // Reads a scalar, or the opening bracket of an array or object: its contents are further values.
  void read_value() {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c == '{' || c == '[') {
      check(open_.size() < max_depth_, json_.about_, "byte ", at_, ": nested more than ",
            max_depth_, " deep");
      open_.push_back({keys_.size(), c == '{'});
      just_opened_ = true;
      ++at_;
    } else if (c == '"') {
      read_string();
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      read_number();
    } else if (!take_word("true") && !take_word("false") && !take_word("null")) {
      expected("a value");
    }
    skip_spaces();
  }

  // Closes the arrays and objects that end here. True if another value follows, whose key, if it has
  // one, has been read; false after the root.
  bool another_value() {
    while (!open_.empty()) {
      const bool object = open_.back().is_object;
      if (take(object ? '}' : ']')) {
        refuse_duplicates(open_.back().first_key);
        keys_.resize(open_.back().first_key);
        open_.pop_back();
        just_opened_ = false;
      } else {
        if (!just_opened_ && !take(',')) expected(object ? "',' or '}'" : "',' or ']'");
        just_opened_ = false;
        if (object) read_key();
        return true;
      }
    }
    return false;
  }

  void read_key() {
    if (at_ == text_.size() || text_[at_] != '"') expected("a key in double quotes");
    keys_.push_back(static_cast<std::uint32_t>(at_));
    read_string();
    skip_spaces();
    if (!take(':')) expected("':'");
  }

  // Sorts the keys of one object: duplicates become neighbours.
  void refuse_duplicates(std::size_t first_key) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first_key);
    // Where two strings differ, at string_end at the latest. (Keys may be long: to find their ends
    // for each comparison could take quadratic time.)
    const auto difference = [&](std::uint32_t a, std::uint32_t b) {
      std::size_t i = 1;
      while (bytes_[a + i] == bytes_[b + i] && bytes_[a + i] != Json::string_end) ++i;
      return i;
    };
    std::sort(begin, keys_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::size_t i = difference(a, b);
      return bytes_[a + i] != bytes_[b + i] ? bytes_[a + i] < bytes_[b + i] : a < b;
    });
    const auto second =
        std::adjacent_find(begin, keys_.end(), [&](std::uint32_t a, std::uint32_t b) {
          const std::size_t i = difference(a, b);
          return bytes_[a + i] == bytes_[b + i];
        });
    if (second == keys_.end()) return;
    const std::uint32_t key = second[1], colon = json_.skip(key);
    fail(json_.about_, "byte ", json_.skip_spaces(colon + 1), ": second value for the key ",
         in_quotes(json_.string_at(key)));
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
  }

  // What the string says goes to its own place, which is long enough.
  void read_string() {
    std::size_t to = ++at_;
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
    std::fill(bytes_ + to, bytes_ + at_, Json::string_end);
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

  Json& json_;
  char* const bytes_;            // of the text: strings are changed in place,
  const std::string_view text_;  // behind at_
  const std::size_t max_depth_;
  std::size_t at_ = 0;
  std::vector<Open> open_;           // outermost first
  bool just_opened_ = false;         // at_ is after the opening bracket of open_.back()
  std::vector<std::uint32_t> keys_;  // of the open objects: the offsets of their quotes
};

Json::Json(std::string_view text, int max_depth, std::string_view about)
    : text_(text), about_(about) {
  JsonReader(*this, max_depth).read();
}

std::string_view Json::string_at(std::size_t offset) const {
  const std::size_t begin = offset + 1;
  return std::string_view(text_).substr(begin, text_.find(string_end, begin) - begin);
}

std::uint32_t Json::skip_spaces(std::size_t offset) const {
  while (offset < text_.size() && is_space(text_[offset])) ++offset;
  return static_cast<std::uint32_t>(offset);
}

std::uint32_t Json::skip(std::size_t offset) const {
  const auto end_of = [&](std::size_t string) {
    return std::min(text_.find_first_not_of(string_end, text_.find(string_end, string)),
                    text_.size());
  };
  const char first = text_[offset];
  if (first == '"') return skip_spaces(end_of(offset));
  if (first != '{' && first != '[')
    return skip_spaces(std::min(text_.find_first_of(",]} \n\r\t", offset), text_.size()));
  for (std::size_t depth = 0;;) {
    const char c = text_[offset];
    if (c == '"') {
      offset = end_of(offset);
      continue;
    }
    ++offset;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return skip_spaces(offset);
  }
}

Json::Value Json::root() const { return Value(*this, skip_spaces(0), none); }

Json::Type Json::Value::type() const {
  switch (json_->text_[offset_]) {
    case '{': return Type::object;
    case '[': return Type::array;
    case '"': return Type::string;
    case 't':
    case 'f': return Type::boolean;
    case 'n': return Type::null;
    default:
      return digits().find_first_of(".eE") == std::string_view::npos ? Type::integer : Type::number;
  }
}

void Json::Value::expect(Type expected) const {
  if (const Type found = type(); found != expected)
    fail(json_->about_, "byte ", offset(), ": expected ", name(expected), ", found ", name(found));
}

// Of a number.
std::string_view Json::Value::digits() const {
  const std::string_view text = std::string_view(json_->text_).substr(offset_);
  return text.substr(0, text.find_first_not_of("+-.0123456789Ee"));
}

std::string_view Json::Value::key() const {
  return key_ == none ? std::string_view() : json_->string_at(key_);
}

bool Json::Value::boolean() const {
  expect(Type::boolean);
  return json_->text_[offset_] == 't';
}

std::int64_t Json::Value::integer() const {
  expect(Type::integer);
  std::int64_t value = 0;
  (void)engine::parse_number(digits(), value);  // it fits: read_number
  return value;
}

double Json::Value::number() const {
  if (type() == Type::integer) return static_cast<double>(integer());
  expect(Type::number);
  double value = 0;
  (void)engine::parse_number(digits(), value);
  return value;
}

std::string_view Json::Value::string() const {
  expect(Type::string);
  return json_->string_at(offset_);
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
  if (const Type found = type(); found != Type::array && found != Type::object)
    fail(json_->about_, "byte ", offset(), ": expected an array or an object, found ", name(found));
  std::int64_t count = 0;
  const Children children(*this);
  for (auto child = children.begin(); child != children.end(); ++child) ++count;
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

Json::Children::Iterator Json::Children::begin() const {
  Iterator first = end();
  first.read(parent_.offset_, parent_.type() == Type::object);
  return first;
}

Json::Children::Iterator& Json::Children::Iterator::operator++() {
  const std::uint32_t after = value_.json_->skip(value_.offset_);
  const bool in_object = value_.key_ != none;
  value_.offset_ = none;
  if (value_.json_->text_[after] == ',') read(after, in_object);
  return *this;
}

// The child after the bracket or comma at `before`; none if there is none.
void Json::Children::Iterator::read(std::uint32_t before, bool in_object) {
  const Json& json = *value_.json_;
  const std::uint32_t begin = json.skip_spaces(before + 1);
  const char c = json.text_[begin];
  if (c == '}' || c == ']') return;
  value_.offset_ = in_object ? json.skip_spaces(json.skip(begin) + 1) : begin;
  value_.key_ = in_object ? begin : none;
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
