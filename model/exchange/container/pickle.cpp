#include "model/exchange/container/pickle.h"

#include <algorithm>
#include <bit>
#include <ostream>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/utf8.h"
#include "model/exchange/container/pickle_opcodes.h"
#include "model/format/bytes.h"

namespace model {

using engine::check;
using engine::fail;
using engine::hex;
using engine::in_quotes;
using engine::printable;
using namespace pickle;

namespace {

const char* name(Pickle::Type type) {
  switch (type) {
    case Pickle::Type::none: return "None";
    case Pickle::Type::boolean: return "True or False";
    case Pickle::Type::integer: return "an integer";
    case Pickle::Type::number: return "a number";
    case Pickle::Type::text: return "a text";
    case Pickle::Type::list: return "a list";
    case Pickle::Type::tuple: return "a tuple";
    case Pickle::Type::dict: return "a dict";
    case Pickle::Type::global: return "a global";
    case Pickle::Type::call: return "a call";
    case Pickle::Type::persistent_id: return "a persistent id";
  }
  return "";
}

// How messages begin: `data.pkl: byte 12: `. Formatted only if there is an error.
struct Place {
  std::string_view about;
  std::size_t offset;
};
std::ostream& operator<<(std::ostream& out, const Place& place) {
  return out << place.about << "byte " << place.offset << ": ";
}

}  // namespace

class PickleReader {
 public:
  explicit PickleReader(Pickle& pickle) : pickle_(pickle), text_(pickle.text_) {}

  void read() {
    check(text_.size() <= max_bytes, pickle_.about_, "a pickle of ", text_.size(),
          " bytes, expected at most ", max_bytes);
    const std::string_view start = text_.substr(0, 2);
    check(start.size() == 2 && Opcode(start[0]) == Opcode::proto && start[1] >= 2 && start[1] <= 5,
          pickle_.about_,
          "is no pickle of protocol 2 to 5, which would begin with 0x80 and 2 to 5");
    at_ = start.size();
    while (step()) {
    }
    check(stack_.size() == 1 && marks_.empty(), about(), "STOP with ", stack_.size(),
          " values and ", marks_.size(), " marks on the stack, expected one value and no mark");
    check(at_ == text_.size(), about(), "STOP, the pickle should end at ", at_, ", it ends at ",
          text_.size());
    pickle_.root_ = stack_[0];
    check_keys();
  }

 private:
  using Type = Pickle::Type;
  using Node = Pickle::Node;

  // Executes the next opcode. False after STOP.
  bool step() {
    begin_ = at_;
    check(at_ < text_.size(), about(), "the pickle ends without STOP");
    const auto code = number<unsigned char>();
    switch (Opcode(code)) {
      case Opcode::stop: return false;
      case Opcode::frame: {  // what is in it are further opcodes
        const auto bytes = number<std::uint64_t>();
        check(bytes <= text_.size() - at_, about(), "a frame of ", bytes, " bytes, but only ",
              text_.size() - at_, " are left");
        break;
      }

      case Opcode::none: push(Type::none); break;
      case Opcode::newtrue: push(Type::boolean).boolean = true; break;
      case Opcode::newfalse: push(Type::boolean).boolean = false; break;
      case Opcode::binint1: push_integer(number<std::uint8_t>()); break;
      case Opcode::binint2: push_integer(number<std::uint16_t>()); break;
      case Opcode::binint: push_integer(number<std::int32_t>()); break;
      case Opcode::long1: push_integer(read_long()); break;
      case Opcode::binfloat: push(Type::number).number = read_float(); break;
      case Opcode::short_binunicode: push_text(number<std::uint8_t>()); break;
      case Opcode::binunicode: push_text(number<std::uint32_t>()); break;
      case Opcode::binunicode8: push_text(number<std::uint64_t>()); break;

      case Opcode::empty_dict: push_container(Type::dict); break;
      case Opcode::empty_list: push_container(Type::list); break;
      case Opcode::empty_tuple: push_container(Type::tuple); break;
      case Opcode::tuple1: push_tuple(from_top(1)); break;
      case Opcode::tuple2: push_tuple(from_top(2)); break;
      case Opcode::tuple3: push_tuple(from_top(3)); break;
      case Opcode::tuple: push_tuple(from_mark()); break;
      case Opcode::mark: marks_.push_back(stack_.size()); break;
      case Opcode::append: move_into(Type::list, from_top(1)); break;
      case Opcode::appends: move_into(Type::list, from_mark()); break;
      case Opcode::setitem: move_into(Type::dict, from_top(2)); break;
      case Opcode::setitems: move_into(Type::dict, from_mark()); break;

      case Opcode::binput: put(number<std::uint8_t>()); break;
      case Opcode::long_binput: put(number<std::uint32_t>()); break;
      case Opcode::memoize: put(memo_.size()); break;
      case Opcode::binget: get(number<std::uint8_t>()); break;
      case Opcode::long_binget: get(number<std::uint32_t>()); break;

      case Opcode::global: {
        const std::string_view module = line();
        push_global(module, line());
        break;
      }
      case Opcode::stack_global: {
        const std::uint32_t global_name = pop(), module = pop();
        push_global(text_of(module), text_of(global_name));
        break;
      }
      case Opcode::reduce: reduce(); break;
      case Opcode::build: build(); break;
      case Opcode::binpersid: {
        const std::uint32_t id = pop();
        push(Type::persistent_id).id = id;
        break;
      }
      case Opcode::proto:  // only at the beginning
      default:
        fail(about(), "opcode 0x", hex(code, 2),
             " is not one of those that PyTorch's and nanoGPT's files have");
    }
    return true;
  }

  Place about() const { return {pickle_.about_, begin_}; }

  // The argument of an opcode, or the opcode itself.
  std::string_view take(std::uint64_t bytes) {
    check(bytes <= text_.size() - at_, about(), "an argument of ", bytes, " bytes from byte ", at_,
          ", the pickle ends at ", text_.size());
    const std::string_view taken = text_.substr(at_, engine::unsigned_size(bytes));
    at_ += taken.size();
    return taken;
  }

  template <class Number>
  Number number() {
    return load<Number>(take(sizeof(Number)).data());
  }

  double read_float() {  // most significant byte first
    std::uint64_t bits = 0;
    for (const char c : take(8)) bits = bits << 8 | static_cast<unsigned char>(c);
    return std::bit_cast<double>(bits);
  }

  std::int64_t read_long() {  // two's complement of any length
    const auto bytes = number<std::uint8_t>();
    check(bytes <= 8, about(), "an integer of ", int{bytes}, " bytes, expected at most 8");
    const std::string_view digits = take(bytes);
    const bool negative = !digits.empty() && static_cast<signed char>(digits.back()) < 0;
    std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = digits.size(); i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(digits[i]);
    return static_cast<std::int64_t>(value);
  }

  std::string_view line() {
    const std::size_t end = text_.find('\n', at_);
    check(end != std::string_view::npos, about(), "the name of a global has no end");
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return line;
  }

  Node& push(Type type) {
    stack_.push_back(static_cast<std::uint32_t>(pickle_.nodes_.size()));
    Node& node = pickle_.nodes_.emplace_back();
    node.offset = static_cast<std::uint32_t>(begin_);
    node.type = type;
    return node;
  }

  void push_integer(std::int64_t value) { push(Type::integer).integer = value; }

  void push_text(std::uint64_t bytes) {
    const std::string_view text = take(bytes);
    const std::size_t valid = engine::valid_utf8_prefix(text);
    check(valid == text.size(), about(), "byte ", valid, " of the text is not UTF-8");
    push(Type::text).text = {static_cast<std::uint32_t>(at_ - bytes),
                             static_cast<std::uint32_t>(bytes)};
  }

  void push_container(Type type) { push(type).children = {Pickle::no_link, Pickle::no_link, 0}; }

  void push_global(std::string_view module, std::string_view global_name) {
    const std::string full = engine::joined(module, '.', global_name);
    const auto found = std::find(pickle_.globals_.begin(), pickle_.globals_.end(), full);
    if (found == pickle_.globals_.end() && full != ordered_dict)
      fail(about(), "the pickle asks for ", printable(full),
           ", which is not on the list of what may be in this file");
    push(Type::global).global = static_cast<std::uint32_t>(found - pickle_.globals_.begin());
  }

  // The height of the stack below its last `count` values, of which none is below the last mark.
  std::size_t from_top(std::size_t count) const {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    check(stack_.size() - floor >= count, about(), "expected ", count,
          " or more values on the stack, found ", stack_.size() - floor);
    return stack_.size() - count;
  }

  std::size_t from_mark() {
    check(!marks_.empty(), about(), "needs a mark on the stack, there is none");
    const std::size_t begin = marks_.back();
    marks_.pop_back();
    return begin;
  }

  std::uint32_t pop() {
    const std::size_t top = from_top(1);
    const std::uint32_t value = stack_[top];
    stack_.resize(top);
    return value;
  }

  Node& node(std::uint32_t index, Type expected) {
    Node& node = pickle_.nodes_[index];
    check(node.type == expected, about(), "expected ", name(expected), ", found ", name(node.type),
          " from byte ", node.offset);
    return node;
  }

  std::string_view text_of(std::uint32_t index) {
    const auto [begin, size] = node(index, Type::text).text;
    return text_.substr(begin, size);
  }

  // Appends the values of the stack from `begin` on to the children, and leaves the stack alone.
  void append(Pickle::Children& children, std::size_t begin) {
    for (std::size_t i = begin; i < stack_.size(); ++i) {
      const auto link = static_cast<std::uint32_t>(pickle_.links_.size());
      (children.count == 0 ? children.first : pickle_.links_[children.last].next) = link;
      children.last = link;
      ++children.count;
      pickle_.links_.push_back({stack_[i], Pickle::no_link});
    }
  }

  void push_tuple(std::size_t begin) {
    Pickle::Children children = {Pickle::no_link, Pickle::no_link, 0};
    append(children, begin);
    stack_.resize(begin);
    push(Type::tuple).children = children;
  }

  // The values of the stack from `begin` on move into the list or dict before them.
  void move_into(Type type, std::size_t begin) {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    check(begin > floor, about(), "needs ", name(type), " on the stack, which is empty");
    check(type != Type::dict || (stack_.size() - begin) % 2 == 0, about(), "a key without a value");
    append(node(stack_[begin - 1], type).children, begin);
    stack_.resize(begin);
  }

  // Python's writers number the memo's entries in order: the memo is no longer than the text.
  void put(std::size_t entry) {
    check(entry == memo_.size(), about(), "memo entry ", entry, ", expected ", memo_.size());
    memo_.push_back(stack_[from_top(1)]);
  }

  void get(std::size_t entry) {
    check(entry < memo_.size(), about(), "memo entry ", entry, ", there are ", memo_.size());
    stack_.push_back(memo_[entry]);
  }

  void reduce() {
    const std::uint32_t arguments = pop(), callee = pop();
    const std::uint32_t count = node(arguments, Type::tuple).children.count;
    if (node(callee, Type::global).global == pickle_.globals_.size()) {
      check(count == 0, about(), ordered_dict, " of a tuple of ", count, ", expected ()");
      push_container(Type::dict);
    } else {
      push(Type::call).call = {callee, arguments};
    }
  }

  // Gives an object attributes. Only OrderedDicts have any here, PyTorch's `_metadata`, which
  // nobody needs.
  void build() {
    const std::uint32_t attributes = pop();
    node(attributes, Type::dict);
    node(stack_[from_top(1)], Type::dict);
  }

  void check_keys() const {
    for (const Node& dict : pickle_.nodes_) {
      if (dict.type != Type::dict) continue;
      for (std::uint32_t link = dict.children.first; link != Pickle::no_link;) {
        const Node& key = pickle_.nodes_[pickle_.links_[link].value];
        check(key.type == Type::text || key.type == Type::integer, pickle_.about_, "byte ",
              key.offset, ": expected a text or an integer as key, found ", name(key.type));
        link = pickle_.links_[pickle_.links_[link].next].next;  // after the value
      }
    }
  }

  Pickle& pickle_;
  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;             // of the opcode before at_
  std::vector<std::uint32_t> stack_;  // indices in nodes_, as in memo_
  std::vector<std::size_t> marks_;    // heights of the stack
  std::vector<std::uint32_t> memo_;
};

Pickle::Pickle(std::string_view text, std::span<const std::string_view> globals,
               std::string_view about)
    : text_(text), globals_(globals), about_(about) {
  PickleReader(*this).read();
}

Pickle::Value Pickle::value(std::uint32_t index) const { return Value(*this, index); }

Pickle::Value Pickle::root() const { return value(root_); }

const Pickle::Node& Pickle::Value::node(Type expected) const {
  check(type() == expected, pickle_->about_, "byte ", offset(), ": expected ", name(expected),
        ", found ", name(type()));
  return node();
}

bool Pickle::Value::boolean() const { return node(Type::boolean).boolean; }

std::int64_t Pickle::Value::integer() const { return node(Type::integer).integer; }

double Pickle::Value::number() const {
  if (type() == Type::integer) return static_cast<double>(node().integer);
  return node(Type::number).number;
}

std::string_view Pickle::Value::text() const {
  const auto [begin, size] = node(Type::text).text;
  return pickle_->text_.substr(begin, size);
}

Pickle::Elements Pickle::Value::elements() const {
  check(type() == Type::list || type() == Type::tuple, pickle_->about_, "byte ", offset(),
        ": expected a list or a tuple, found ", name(type()));
  return Elements(*pickle_, node().children.first);
}

Pickle::Members Pickle::Value::members() const {
  return Members(Elements(*pickle_, node(Type::dict).children.first));
}

std::int64_t Pickle::Value::size() const {
  if (type() == Type::dict) return node().children.count / 2;
  elements();  // checks the type
  return node().children.count;
}

std::optional<Pickle::Value> Pickle::Value::find(std::string_view key) const {
  std::optional<Value> last;
  for (const auto [candidate, value] : members())
    if (candidate.type() == Type::text && candidate.text() == key) last = value;
  return last;
}

std::optional<Pickle::Value> Pickle::Value::find(std::int64_t key) const {
  std::optional<Value> last;
  for (const auto [candidate, value] : members())
    if (candidate.type() == Type::integer && candidate.integer() == key) last = value;
  return last;
}

Pickle::Value Pickle::Value::at(std::string_view key) const {
  const std::optional<Value> value = find(key);
  check(value.has_value(), pickle_->about_, "byte ", offset(), ": this dict has no ",
        in_quotes(key));
  return *value;
}

std::string_view Pickle::Value::global() const {
  const std::size_t index = node(Type::global).global;
  return index < pickle_->globals_.size() ? pickle_->globals_[index] : ordered_dict;
}

Pickle::Value Pickle::Value::callee() const { return pickle_->value(node(Type::call).call.callee); }

Pickle::Value Pickle::Value::arguments() const {
  return pickle_->value(node(Type::call).call.arguments);
}

Pickle::Value Pickle::Value::persistent_id() const {
  return pickle_->value(node(Type::persistent_id).id);
}

}  // namespace model
