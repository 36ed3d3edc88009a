// Python's pickles, without Python's code: the part of the format that torch.save and nanoGPT's
// meta.pkl use, protocols 2 to 5. Python itself calls whatever function a pickle names; this reader
// calls none. It refuses every name that is not on its caller's list and returns the calls as data.
//
// A pickle is a program for a machine with a stack. Each opcode is one byte, with or without an
// argument. {"bias": False}, for example:
//
//     80 02               PROTO 2      the version of the format
//     7d                  EMPTY_DICT   push {}
//     71 00               BINPUT 0     remember the top as memo entry 0, for BINGET 0 to push again
//     28                  MARK         remember the height of the stack
//     58 04000000 "bias"  BINUNICODE   push "bias"
//     89                  NEWFALSE     push False
//     75                  SETITEMS     pop down to the mark: keys and values of the dict below
//     2e                  STOP         the only value on the stack is the result
//
// All values lie in one array in the order of their opcodes; lists and dicts refer to them by
// index. So reading and freeing need neither recursion nor pointers, and memory is at most a fixed
// multiple of the text. A value may be in several places, and a list even inside itself: walk only
// to a depth that you know.
//
// Errors are engine::Error with the offset of the opcode:
// `byte 12: the pickle asks for os.system, which is not on the list of what may be in this file`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace model {

class Pickle {
 public:
  enum class Type : std::uint8_t {
    none,
    boolean,
    integer,
    number,
    text,
    list,
    tuple,
    dict,          // also a collections.OrderedDict, without its attributes
    global,        // something that Python would import, by name
    call,          // of a global with arguments
    persistent_id  // something that is not in the pickle, a storage of PyTorch for example
  };
  class Value;
  class Elements;
  class Members;

  // Parses `text`, at most 8 MiB, which must stay valid, as the names in `globals` must: the
  // globals that may be in it, as `module.name`, besides collections.OrderedDict. All errors, also
  // those of Value, begin with `about`.
  explicit Pickle(std::string_view text, std::span<const std::string_view> globals = {},
                  std::string_view about = {});

  Value root() const;

 private:
  friend class PickleReader;
  Value value(std::uint32_t index) const;

  static constexpr std::uint32_t no_link = 0xFFFFFFFF;
  struct Children {  // a chain of links
    std::uint32_t first, last, count;
  };
  struct Link {
    std::uint32_t value;  // index in nodes_
    std::uint32_t next;   // index in links_, or no_link
  };
  struct Node {
    std::uint32_t offset;  // of the value's opcode
    Type type;
    union {
      bool boolean;
      std::int64_t integer;
      double number;
      struct {
        std::uint32_t begin, size;
      } text;                // in text_
      Children children;     // of a list or tuple; of a dict: key, value, key, value ...
      std::uint32_t global;  // index in globals_
      struct {
        std::uint32_t callee, arguments;  // in nodes_: a global and a tuple
      } call;
      std::uint32_t id;  // in nodes_
    };
  };

  std::string_view text_;
  std::span<const std::string_view> globals_;
  std::string about_;
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::uint32_t root_ = 0;
};

// A handle to one value of a Pickle, which must outlive the handle and must not be moved. Reading a
// value as another type is an error: `byte 12: expected a text, found a list`.
class Pickle::Value {
 public:
  Type type() const { return node().type; }
  std::size_t offset() const { return node().offset; }

  bool boolean() const;
  std::int64_t integer() const;
  double number() const;  // integers too; may be infinite or not a number
  std::string_view text() const;

  Elements elements() const;  // of a list or tuple
  // Of a dict, whose keys are texts or integers. Keys may be equal: find takes the last, as Python.
  Members members() const;
  std::int64_t size() const;                              // elements or members
  std::optional<Value> find(std::string_view key) const;  // linear search
  std::optional<Value> find(std::int64_t key) const;
  Value at(std::string_view key) const;  // `byte 12: this dict has no "model"`

  std::string_view global() const;  // its name on the list: "torch.FloatStorage"
  Value callee() const;             // of a call: a global
  Value arguments() const;          // of a call: a tuple
  Value persistent_id() const;

 private:
  friend class Pickle;
  Value(const Pickle& pickle, std::uint32_t index) : pickle_(&pickle), index_(index) {}
  const Node& node() const { return pickle_->nodes_[index_]; }
  const Node& node(Type expected) const;

  const Pickle* pickle_;
  std::uint32_t index_;
};

class Pickle::Elements {
 public:
  class Iterator {
   public:
    Value operator*() const { return Value(*pickle_, pickle_->links_[link_].value); }
    Iterator& operator++() {
      link_ = pickle_->links_[link_].next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return link_ != other.link_; }

   private:
    friend class Elements;
    Iterator(const Pickle& pickle, std::uint32_t link) : pickle_(&pickle), link_(link) {}
    const Pickle* pickle_;
    std::uint32_t link_;
  };
  Iterator begin() const { return {*pickle_, first_}; }
  Iterator end() const { return {*pickle_, no_link}; }

 private:
  friend class Value;
  friend class Members;
  Elements(const Pickle& pickle, std::uint32_t first) : pickle_(&pickle), first_(first) {}
  const Pickle* pickle_;
  std::uint32_t first_;
};

class Pickle::Members {
 public:
  struct Member {
    Value key, value;
  };
  class Iterator {
   public:
    Member operator*() const {
      Elements::Iterator value = key_;
      ++value;
      return {*key_, *value};
    }
    Iterator& operator++() {
      ++key_;
      ++key_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return key_ != other.key_; }

   private:
    friend class Members;
    explicit Iterator(Elements::Iterator key) : key_(key) {}
    Elements::Iterator key_;
  };
  Iterator begin() const { return Iterator(keys_and_values_.begin()); }
  Iterator end() const { return Iterator(keys_and_values_.end()); }

 private:
  friend class Value;
  explicit Members(Elements keys_and_values) : keys_and_values_(keys_and_values) {}
  Elements keys_and_values_;
};

// Writes a pickle of protocol 2, value by value:
//
//     PickleWriter out;
//     out.begin_dict();
//     out.text("bias");
//     out.boolean(false);
//     out.end_dict();
//     const std::string pickle = out.finish();
class PickleWriter {
 public:
  PickleWriter();

  void none();
  void boolean(bool value);
  void integer(std::int64_t value);
  void number(double value);
  void text(std::string_view value);  // must be UTF-8

  void begin_dict();  // then key, value, key, value ...
  void end_dict();
  void begin_ordered_dict();  // of Python's collections; end_dict ends it
  void begin_list();
  void end_list();
  void begin_tuple();
  void end_tuple();

  void global(std::string_view module, std::string_view name);
  void call();           // replaces the two values before, a global and a tuple
  void persistent_id();  // replaces the value before

  std::string finish();  // the pickle of the one value written; the writer is empty then

 private:
  std::string bytes_;
};

}  // namespace model
