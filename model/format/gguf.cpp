#include "model/format/gguf.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/utf8.h"

namespace model {

using engine::check;
using engine::fail;
using engine::in_quotes;
using engine::joined;

namespace {

// The types of values, by their numbers in the file.
enum Type : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean_,
  string,
  array,
  u64,
  i64,
  f64
};
constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};  // 0: it varies
constexpr std::string_view type_names[] = {"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                           "bool", "string", "array", "u64", "i64", "f64"};
constexpr std::uint32_t type_count = 13;

std::string name_of(std::uint32_t type) {
  return type < type_count ? std::string(type_names[type]) : joined("type ", type);
}

// The types of tensors that gradus reads, and the names of the others, to refuse them by.
struct TensorType {
  std::uint32_t number;
  Dtype dtype;
};
constexpr TensorType tensor_types[] = {{0, Dtype::f32},  {1, Dtype::f16},  {8, Dtype::q8_0},
                                       {24, Dtype::i8},  {25, Dtype::i16}, {26, Dtype::i32},
                                       {27, Dtype::i64}, {28, Dtype::f64}, {30, Dtype::bf16}};
constexpr std::pair<std::uint32_t, std::string_view> other_types[] = {
    {2, "Q4_0"},  {3, "Q4_1"},  {6, "Q5_0"},  {7, "Q5_1"},  {9, "Q8_1"}, {10, "Q2_K"},
    {11, "Q3_K"}, {12, "Q4_K"}, {13, "Q5_K"}, {14, "Q6_K"}, {15, "Q8_K"}};

Dtype dtype_of(std::uint32_t number, std::string_view tensor) {
  for (const auto& [known, dtype] : tensor_types)
    if (known == number) return dtype;
  std::string name = joined("type ", number);
  for (const auto& [known, called] : other_types)
    if (known == number) name = called;
  fail("tensor ", in_quotes(tensor), " is ", name, ", expected F32, F16, BF16 or Q8_0");
}

template <class Number>
Number number_at(std::string_view bytes, std::uint64_t i = 0) {
  Number number;
  std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
  return number;
}

bool is_integer(std::uint32_t type) {
  return type < type_count && type != f32 && type != f64 && type != boolean_ && type != string &&
         type != array;
}

Index integer_at(std::string_view key, std::uint32_t type, std::string_view bytes,
                 std::uint64_t i = 0) {
  switch (type) {
    case u8: return number_at<std::uint8_t>(bytes, i);
    case i8: return number_at<std::int8_t>(bytes, i);
    case u16: return number_at<std::uint16_t>(bytes, i);
    case i16: return number_at<std::int16_t>(bytes, i);
    case u32: return number_at<std::uint32_t>(bytes, i);
    case i32: return number_at<std::int32_t>(bytes, i);
    case i64: return number_at<std::int64_t>(bytes, i);
    default: break;
  }
  const auto value = number_at<std::uint64_t>(bytes, i);
  check(value <= std::uint64_t(std::numeric_limits<Index>::max()), "key ", in_quotes(key), " is ",
        value, ", expected less than 2^63");
  return static_cast<Index>(value);
}

constexpr std::uint64_t default_alignment = 32;
constexpr std::string_view alignment_key = "general.alignment";

}  // namespace

// Reads from the front of the file's bytes.
class GgufFile::Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  std::uint64_t place() const { return at_; }
  std::uint64_t rest() const { return file_.size() - at_; }

  std::string_view bytes(std::uint64_t count, std::string_view what) {
    check(count <= rest(), what, " wants ", count, " bytes from byte ", at_, ", the file ends at ",
          file_.size());
    const std::string_view taken = file_.substr(at_, count);
    at_ += count;
    return taken;
  }
  template <class Number>
  Number number(std::string_view what) {
    return number_at<Number>(bytes(sizeof(Number), what));
  }
  std::string_view text(std::string_view what) {
    const auto length = number<std::uint64_t>(what);
    const std::string_view taken = bytes(length, what);
    check(engine::valid_utf8_prefix(taken) == taken.size(), what, " ", in_quotes(taken),
          " is not UTF-8");
    return taken;
  }

  Value value(std::string_view key) {
    const std::string what = joined("key ", in_quotes(key));
    Value value{number<std::uint32_t>(what), 0, 1, {}};
    check(value.type < type_count, what, " has type ", value.type, ", expected 0..12");
    if (value.type == array) {
      value.element_type = number<std::uint32_t>(what);
      value.count = number<std::uint64_t>(what);
      check(value.element_type < type_count && value.element_type != array, what,
            " is an array of ", name_of(value.element_type), ", expected numbers or strings");
    }
    const std::uint32_t type = value.type == array ? value.element_type : value.type;
    const std::uint64_t begin = at_;
    if (type == string) {
      check(value.count <= rest() / 8, what, " has ", value.count, " strings, the file ends at ",
            file_.size());
      for (std::uint64_t i = 0; i < value.count; ++i) (void)text(what);
    } else {
      check(value.count <= rest() / sizes[type], what, " has ", value.count,
            " elements, the file ends at ", file_.size());
      (void)bytes(value.count * sizes[type], what);
    }
    value.bytes = file_.substr(begin, at_ - begin);
    if (type == boolean_)
      for (const char byte : value.bytes)
        check(byte == 0 || byte == 1, what, " is ", int{static_cast<unsigned char>(byte)},
              ", expected 0 or 1");
    return value;
  }

 private:
  std::string_view file_;
  std::uint64_t at_ = 0;
};

namespace {

struct Placed {
  std::uint64_t offset;
  std::size_t tensor;
};

}  // namespace

GgufFile::GgufFile(std::string_view file) {
  Reader in(file);
  check(in.bytes(4, "the file's first word") == "GGUF", "is no GGUF file");
  const auto version = in.number<std::uint32_t>("the version");
  check(version == 2 || version == 3, "is GGUF of version ", version,
        version == 3u << 24 ? " in big-endian order" : "", ", expected 2 or 3");
  const auto tensor_count = in.number<std::uint64_t>("the number of tensors");
  const auto value_count = in.number<std::uint64_t>("the number of keys");
  // A key takes 13 bytes at least, a tensor 32.
  check(value_count <= in.rest() / 13, "has ", value_count, " keys, but only ", file.size(),
        " bytes");
  check(tensor_count <= in.rest() / 32, "has ", tensor_count, " tensors, but only ", file.size(),
        " bytes");
  for (std::uint64_t i = 0; i < value_count; ++i) {
    const std::string_view key = in.text("a key");
    check(values_.emplace(key, in.value(key)).second, "key ", in_quotes(key), " is there twice");
  }
  std::uint64_t alignment = default_alignment;
  if (contains(alignment_key)) {
    const Index value = integer(alignment_key);
    check(value >= 1 && value <= 1 << 20 && std::has_single_bit(std::uint64_t(value)),
          alignment_key, " is ", value, ", expected a power of 2");
    alignment = static_cast<std::uint64_t>(value);
  }

  std::vector<Placed> places;
  for (std::uint64_t i = 0; i < tensor_count; ++i) {
    TensorEntry entry;
    const std::string_view name = in.text("a tensor's name");
    entry.name = name;
    const std::string what = joined("tensor ", in_quotes(name));
    const auto axes = in.number<std::uint32_t>(what);
    check(1 <= axes && axes <= 4, what, " has ", axes, " axes, expected 1 to 4");
    for (std::uint32_t axis = 0; axis < axes; ++axis) {
      const auto size = in.number<std::uint64_t>(what);
      check(size <= std::uint64_t(std::numeric_limits<Index>::max()), what, " has an axis of ",
            size);
      entry.shape.insert(entry.shape.begin(), static_cast<Index>(size));
    }
    entry.dtype = dtype_of(in.number<std::uint32_t>(what), name);
    const auto offset = in.number<std::uint64_t>(what);
    check(offset % alignment == 0, what, " is at ", offset, ", expected a multiple of ", alignment);
    places.push_back({offset, tensors_.size()});
    check(index_.emplace(name, tensors_.size()).second, what, " is there twice");
    tensors_.push_back(std::move(entry));
  }

  const std::uint64_t data =
      tensor_count == 0 ? in.place() : engine::round_up(in.place(), alignment);
  std::ranges::sort(places, {}, &Placed::offset);
  std::uint64_t end = 0;
  for (const auto& [offset, tensor] : places) {
    TensorEntry& entry = tensors_[tensor];
    const std::string what = joined("tensor ", in_quotes(entry.name));
    const std::optional<std::int64_t> bytes = bytes_of(entry.shape, entry.dtype);
    check(bytes.has_value(), what, " of shape ", shape_text(entry.shape), " in ",
          format_of(entry.dtype).name, " is no size of a tensor");
    check(offset >= end, what, " begins at ", offset, ", before the tensor in front of it ends");
    check(data <= file.size() && offset <= file.size() - data &&
              std::uint64_t(*bytes) <= file.size() - data - offset,
          what, " wants ", *bytes, " bytes from byte ", data + offset, ", the file ends at ",
          file.size());
    entry.data = file.substr(data + offset, static_cast<std::uint64_t>(*bytes));
    end = offset + static_cast<std::uint64_t>(*bytes);
  }
}

const TensorEntry* GgufFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const GgufFile::Value& GgufFile::value(std::string_view key) const {
  const auto found = values_.find(key);
  check(found != values_.end(), "key ", in_quotes(key), " is missing");
  return found->second;
}

namespace {

void check_kind(std::string_view key, bool is_expected, std::string_view expected,
                std::uint32_t type) {
  check(is_expected, "key ", in_quotes(key), " is ", name_of(type), ", expected ", expected);
}

}  // namespace

Index GgufFile::integer(std::string_view key) const {
  const Value& found = value(key);
  check_kind(key, is_integer(found.type), "an integer", found.type);
  return integer_at(key, found.type, found.bytes);
}

double GgufFile::number(std::string_view key) const {
  const Value& found = value(key);
  const double number = found.type == f32   ? double{number_at<float>(found.bytes)}
                        : found.type == f64 ? number_at<double>(found.bytes)
                                            : static_cast<double>(integer(key));
  check(std::isfinite(number), "key ", in_quotes(key), " is ", number,
        ", expected a finite number");
  return number;
}

bool GgufFile::boolean(std::string_view key) const {
  const Value& found = value(key);
  check_kind(key, found.type == boolean_, "a bool", found.type);
  return found.bytes[0] != 0;
}

std::string_view GgufFile::text(std::string_view key) const {
  const Value& found = value(key);
  check_kind(key, found.type == string, "a string", found.type);
  return found.bytes.substr(8);
}

std::vector<std::string_view> GgufFile::texts(std::string_view key) const {
  const Value& found = value(key);
  check_kind(key, found.type == array && found.element_type == string, "an array of strings",
             found.type);
  std::vector<std::string_view> texts;
  std::string_view rest = found.bytes;
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto length = number_at<std::uint64_t>(rest);
    texts.push_back(rest.substr(8, length));
    rest.remove_prefix(8 + length);
  }
  return texts;
}

std::vector<Index> GgufFile::integers(std::string_view key) const {
  const Value& found = value(key);
  check_kind(key, found.type == array && is_integer(found.element_type), "an array of integers",
             found.type);
  std::vector<Index> numbers;
  for (std::uint64_t i = 0; i < found.count; ++i)
    numbers.push_back(integer_at(key, found.element_type, found.bytes, i));
  return numbers;
}

// --- Writing -------------------------------------------------------------------------------------

namespace {

template <class Number>
void append(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

void append_text(std::string& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  out += text;
}

std::uint32_t number_of(Dtype dtype) {
  for (const auto& [number, known] : tensor_types)
    if (known == dtype) return number;
  fail("GGUF has no type for ", format_of(dtype).name);
}

}  // namespace

void GgufWriter::begin(std::string_view key, std::uint32_t type) {
  append_text(values_, key);
  append(values_, type);
  ++value_count_;
}

void GgufWriter::add_text(std::string_view key, std::string_view value) {
  begin(key, string);
  append_text(values_, value);
}

void GgufWriter::add_integer(std::string_view key, std::uint32_t value) {
  begin(key, u32);
  append(values_, value);
}

void GgufWriter::add_number(std::string_view key, float value) {
  begin(key, f32);
  append(values_, value);
}

void GgufWriter::add_boolean(std::string_view key, bool value) {
  begin(key, boolean_);
  values_ += value ? '\1' : '\0';
}

void GgufWriter::add_texts(std::string_view key, const std::vector<std::string>& values) {
  begin(key, array);
  append(values_, std::uint32_t{string});
  append(values_, std::uint64_t{values.size()});
  for (const std::string& value : values) append_text(values_, value);
}

void GgufWriter::add_integers(std::string_view key, const std::vector<std::int32_t>& values) {
  begin(key, array);
  append(values_, std::uint32_t{i32});
  append(values_, std::uint64_t{values.size()});
  for (const std::int32_t value : values) append(values_, value);
}

void GgufWriter::add(std::string_view name, std::vector<Index> shape, Dtype dtype,
                     std::string_view bytes) {
  check(bytes_of(shape, dtype) == std::ssize(bytes), "tensor ", in_quotes(name), " of shape ",
        shape_text(shape), " in ", format_of(dtype).name, " has ", bytes.size(), " bytes");
  tensors_.push_back({std::string(name), dtype, std::move(shape), bytes});
}

std::vector<std::string_view> GgufWriter::pieces() {
  static constexpr char padding[default_alignment] = {};
  header_ = "GGUF";
  append(header_, std::uint32_t{3});
  append(header_, std::uint64_t{tensors_.size()});
  append(header_, value_count_);
  header_ += values_;
  const auto padding_of = [](std::uint64_t size) {
    return std::string_view(padding, engine::round_up(size, default_alignment) - size);
  };
  std::uint64_t offset = 0;
  for (const TensorEntry& tensor : tensors_) {
    append_text(header_, tensor.name);
    append(header_, static_cast<std::uint32_t>(tensor.shape.size()));
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size)
      append(header_, static_cast<std::uint64_t>(*size));
    append(header_, number_of(tensor.dtype));
    append(header_, offset);
    offset += engine::round_up(tensor.data.size(), default_alignment);
  }
  header_ += padding_of(header_.size());
  std::vector<std::string_view> pieces = {header_};
  for (const TensorEntry& tensor : tensors_) {
    pieces.push_back(tensor.data);
    pieces.push_back(padding_of(tensor.data.size()));
  }
  return pieces;
}

}  // namespace model
