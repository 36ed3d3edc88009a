#include "model/exchange/container/gguf.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/utf8.h"
#include "model/exchange/container/gguf_layout.h"
#include "model/format/bytes.h"

namespace model {

using engine::check;
using engine::fail;
using engine::in_quotes;
using engine::joined;
using engine::unsigned_size;
using namespace gguf;

namespace {

// The fewest bytes that a key (its name's length, a type, a value) and a tensor (its name's length,
// the number of axes, an axis, a type, an offset) can have: the bytes there are bound their number.
constexpr std::uint64_t min_key = 8 + 4 + 1, min_tensor = 8 + 4 + 8 + 4 + 8;

struct TypeRow {
  const char* name;
  std::uint64_t bytes;  // of one value; at least so many of a string
};
constexpr TypeRow type_rows[] = {
    {"u8", 1},      {"i8", 1},     {"u16", 2},   {"i16", 2}, {"u32", 4}, {"i32", 4}, {"f32", 4},
    {"boolean", 1}, {"string", 8}, {"array", 0}, {"u64", 8}, {"i64", 8}, {"f64", 8}};

const TypeRow& row(GgufType type) { return type_rows[static_cast<std::size_t>(type)]; }

bool is_integer(GgufType type) {
  return type <= GgufType::i32 || type == GgufType::u64 || type == GgufType::i64;
}
bool is_number(GgufType type) {
  return is_integer(type) || type == GgufType::f32 || type == GgufType::f64;
}
bool is_boolean(GgufType type) { return type == GgufType::boolean; }
bool is_text(GgufType type) { return type == GgufType::text; }

std::int64_t integer_of(GgufType type, const char* from, std::string_view key) {
  switch (type) {
    case GgufType::u8: return load<std::uint8_t>(from);
    case GgufType::i8: return load<std::int8_t>(from);
    case GgufType::u16: return load<std::uint16_t>(from);
    case GgufType::i16: return load<std::int16_t>(from);
    case GgufType::u32: return load<std::uint32_t>(from);
    case GgufType::i32: return load<std::int32_t>(from);
    case GgufType::i64: return load<std::int64_t>(from);
    case GgufType::u64: {
      const auto value = load<std::uint64_t>(from);
      check(std::in_range<std::int64_t>(value), key_title(key), " is ", value,
            ", expected a number below 2^63");
      return static_cast<std::int64_t>(value);
    }
    case GgufType::f32:
    case GgufType::f64:
    case GgufType::boolean:
    case GgufType::text:
    case GgufType::array: break;
  }
  fail(key_title(key), " is no integer");  // not reached: the callers have checked the type
}

}  // namespace

// Reads a file from its first byte on. Every length is checked against the bytes that are left.
class GgufReader {
 public:
  explicit GgufReader(std::string_view file) : file_(file) {}

  void read(GgufFile& out) {
    check(file_.substr(0, magic.size()) == magic, "the file begins with ",
          in_quotes(file_.substr(0, magic.size())), ", expected \"", magic, '"');
    at_ = magic.size();
    read_version();
    const auto tensors = number<std::uint64_t>(), keys = number<std::uint64_t>();
    check_count(keys, min_key, "keys");
    out.keys_.reserve(unsigned_size(keys));
    for (count_ = 0; count_ < keys; ++count_) out.keys_.push_back(read_key());
    std::sort(out.keys_.begin(), out.keys_.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < out.keys_.size(); ++i)
      check(out.keys_[i - 1].name != out.keys_[i].name, "second value for ",
            key_title(out.keys_[i].name));

    const std::uint64_t alignment = alignment_of(out);
    check_count(tensors, min_tensor, "tensors");
    kind_ = "tensor";
    const std::size_t begin = at_;
    for (count_ = 0; count_ < tensors; ++count_) skip_tensor();
    data_ = engine::round_up(std::uint64_t{at_}, alignment);
    at_ = begin;
    std::vector<TensorEntry> entries;
    entries.reserve(unsigned_size(tensors));
    for (count_ = 0; count_ < tensors; ++count_) entries.push_back(read_tensor(alignment));
    out.set_ = TensorSet(std::move(entries));
    check_layout(out.tensors(), alignment);
  }

 private:
  void read_version() {
    const auto version = number<std::uint32_t>();
    check((version & 0xffff) != 0, "is a big-endian GGUF file, expected a little-endian one");
    check(version == 2 || version == 3, "GGUF version ", version, ", expected 2 or 3");
  }

  void check_count(std::uint64_t count, std::uint64_t bytes_each, const char* what) const {
    check(count <= left() / bytes_each, "the header counts ", count, ' ', what, ", the ", left(),
          " bytes from byte ", at_, " have room for ", left() / bytes_each);
  }

  GgufFile::Key read_key() {
    GgufFile::Key key{};
    kind_ = "key";
    key.name = read_name();
    key.type = read_type();
    key.is_array = key.type == GgufType::array;
    std::uint64_t count = 1;
    if (key.is_array) {
      key.type = read_type();
      check(key.type != GgufType::array, title(),
            " is an array of arrays, expected an array of numbers, truth values or strings");
      count = number<std::uint64_t>();
    }
    const std::uint64_t bytes = row(key.type).bytes;
    check(count <= left() / bytes, title(), " has ", count, " values of type ", row(key.type).name,
          ", the ", left(), " bytes from byte ", at_, " have room for ", left() / bytes);
    key.count = static_cast<Index>(count);
    const std::size_t begin = at_;
    if (key.type == GgufType::text)
      for (std::uint64_t i = 0; i < count; ++i) read_text();
    else
      take(count * bytes);
    key.bytes = file_.substr(begin, at_ - begin);
    if (key.type == GgufType::boolean)
      for (const char c : key.bytes)
        check(c == 0 || c == 1, title(), " has the truth value ",
              static_cast<int>(static_cast<unsigned char>(c)), ", expected 0 or 1");
    return key;
  }

  GgufType read_type() {
    const auto type = number<std::uint32_t>();
    check(type < std::size(type_rows), title(), " has the unknown type ", type,
          ", expected one of 0..12");
    return static_cast<GgufType>(type);
  }

  static std::uint64_t alignment_of(const GgufFile& file) {
    if (!file.contains(alignment_key)) return default_alignment;
    const std::int64_t value = file.integer(alignment_key);
    check(value > 0 && value <= std::numeric_limits<std::uint32_t>::max() &&
              std::has_single_bit(static_cast<std::uint64_t>(value)),
          key_title(alignment_key), " is ", value, ", expected a power of two below 2^32");
    return static_cast<std::uint64_t>(value);
  }

  std::uint32_t read_axes() {
    const auto axes = number<std::uint32_t>();
    check(axes >= 1 && axes <= max_axes, title(), " has ", axes, " axes, expected 1 to ", max_axes);
    return axes;
  }

  void skip_tensor() {
    read_name();
    take(read_axes() * sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(std::uint64_t));
  }

  // Needs data_, the end of the header.
  TensorEntry read_tensor(std::uint64_t alignment) {
    const std::string_view name = read_name();
    const std::uint32_t axes = read_axes();
    std::vector<Index> shape;
    shape.reserve(axes);
    for (std::uint32_t i = 0; i < axes; ++i) {
      const auto size = number<std::uint64_t>();
      check(std::in_range<Index>(size), title(), " has an axis of ", size,
            " elements, expected less than 2^63");
      shape.push_back(static_cast<Index>(size));
    }
    std::reverse(shape.begin(), shape.end());
    const auto type = number<std::uint32_t>();
    const std::optional<Dtype> dtype = dtype_with(&DtypeLayout::gguf, type);
    check(dtype.has_value(), title(), " has the unknown type ", type,
          ", expected F32 (0), F16 (1), Q8_0 (8) or BF16 (30)");
    const auto offset = number<std::uint64_t>();
    check(offset % alignment == 0, title(), " begins at offset ", offset,
          " of the data, expected a multiple of ", alignment);
    const std::optional<Index> bytes = bytes_of(name, shape, *dtype);
    check(bytes.has_value(), title(), " of shape ", shape_text(shape), " in ", layout(*dtype).name,
          " takes ", bytes_text(bytes), " bytes");
    const auto size = static_cast<std::uint64_t>(*bytes);
    // data_ + offset could wrap, so differences are compared.
    check(data_ <= file_.size() && offset <= file_.size() - data_ &&
              size <= file_.size() - data_ - offset,
          title(), " wants ", size, " bytes from offset ", offset,
          " of the data, which begins at byte ", data_, "; the file ends at ", file_.size());
    return {std::string(name), *dtype, std::move(shape),
            file_.substr(unsigned_size(data_ + offset), unsigned_size(size))};
  }

  void check_layout(const std::vector<TensorEntry>& tensors, std::uint64_t alignment) const {
    if (tensors.empty()) return;
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const TensorEntry& tensor = tensors[i];
      const std::string_view before = tensors[i - 1].data;
      check(before.data() + before.size() <= tensor.data.data(), titled(tensor.name),
            " begins at byte ", tensor.data.data() - file_.data(), ", inside ",
            titled(tensors[i - 1].name));
    }
    // The last tensor is padded too: a file that was cut there is noticed.
    const std::string_view last = tensors.back().data;
    const std::uint64_t last_end =
        static_cast<std::uint64_t>(last.data() - file_.data()) + last.size();
    check(data_ + engine::round_up(last_end - data_, alignment) <= file_.size(),
          "the file ends at ", file_.size(), ", inside the padding of its last tensor");
  }

  std::string_view read_name() {
    name_ = {};
    return name_ = read_text();
  }

  std::string_view read_text() {
    const std::string_view text = take(number<std::uint64_t>());
    const std::size_t good = engine::valid_utf8_prefix(text);
    check(good == text.size(), title(), ": byte ", at_ - text.size() + good,
          " of the file is not UTF-8");
    return text;
  }

  template <class T>
  T number() {
    return load<T>(take(sizeof(T)).data());
  }

  std::string_view take(std::uint64_t bytes) {
    check(bytes <= left(), title(), " wants ", bytes, " bytes from byte ", at_,
          ", the file ends at ", file_.size());
    const std::string_view taken = file_.substr(at_, unsigned_size(bytes));
    at_ += taken.size();
    return taken;
  }

  std::uint64_t left() const { return file_.size() - at_; }

  // What is being read, for messages: by its name once that is known.
  struct Title {
    const char* kind;
    std::uint64_t count;
    std::string_view name;
    friend std::ostream& operator<<(std::ostream& out, const Title& title) {
      if (title.kind == nullptr) return out << "the header";
      out << title.kind << ' ';
      return title.name.data() != nullptr ? out << in_quotes(title.name) : out << title.count;
    }
  };
  Title title() const { return {kind_, count_, name_}; }

  std::string_view file_;
  std::size_t at_ = 0;
  const char* kind_ = nullptr;
  std::uint64_t count_ = 0;  // keys or tensors before this one
  std::string_view name_;
  std::uint64_t data_ = 0;  // where it begins
};

GgufFile::GgufFile(std::string_view file) { GgufReader(file).read(*this); }

std::vector<std::string_view> GgufFile::keys() const {
  std::vector<std::string_view> names;
  for (const Key& key : keys_) names.push_back(key.name);
  return names;
}

const GgufFile::Key* GgufFile::find_key(std::string_view name) const {
  const auto found =
      std::lower_bound(keys_.begin(), keys_.end(), name,
                       [](const Key& key, std::string_view wanted) { return key.name < wanted; });
  return found != keys_.end() && found->name == name ? &*found : nullptr;
}

bool GgufFile::contains(std::string_view key) const { return find_key(key) != nullptr; }

const GgufFile::Key& GgufFile::key(std::string_view name, bool is_array, bool is_right(GgufType),
                                   const char* expected) const {
  const Key* const found = find_key(name);
  check(found != nullptr, key_title(name), " is missing");
  check(found->is_array == is_array && is_right(found->type), key_title(name), " has type ",
        found->is_array ? "array of " : "", row(found->type).name, ", expected ", expected);
  return *found;
}

std::int64_t GgufFile::integer(std::string_view name) const {
  const Key& found = key(name, false, is_integer, "an integer");
  return integer_of(found.type, found.bytes.data(), name);
}

double GgufFile::number(std::string_view name) const {
  const Key& found = key(name, false, is_number, "a number");
  const char* const from = found.bytes.data();
  if (found.type == GgufType::f32) return static_cast<double>(load<float>(from));
  if (found.type == GgufType::f64) return load<double>(from);
  return static_cast<double>(integer_of(found.type, from, name));
}

bool GgufFile::boolean(std::string_view name) const {
  return key(name, false, is_boolean, "a truth value").bytes[0] != 0;
}

std::string_view GgufFile::text(std::string_view name) const {
  return key(name, false, is_text, "a string").bytes.substr(sizeof(std::uint64_t));
}

std::vector<std::int64_t> GgufFile::integers(std::string_view name) const {
  const Key& found = key(name, true, is_integer, "an array of integers");
  const auto size = static_cast<Index>(row(found.type).bytes);
  std::vector<std::int64_t> values;
  for (Index i = 0; i < found.count; ++i)
    values.push_back(integer_of(found.type, found.bytes.data() + i * size, name));
  return values;
}

std::vector<std::string_view> GgufFile::texts(std::string_view name) const {
  std::string_view rest = key(name, true, is_text, "an array of strings").bytes;
  std::vector<std::string_view> values;
  while (!rest.empty()) {
    const std::size_t size = unsigned_size(load<std::uint64_t>(rest.data()));
    constexpr std::size_t length = sizeof(std::uint64_t);
    values.push_back(rest.substr(length, size));
    rest.remove_prefix(length + size);
  }
  return values;
}

}  // namespace model
