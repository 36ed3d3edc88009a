#include "model/format/tensor_entry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <ostream>
#include <type_traits>
#include <utility>

#include "engine/base/thread_pool.h"
#include "engine/kernels/reduce.h"
#include "model/format/bytes.h"
#include "model/format/float16.h"

namespace model {

using engine::real;

namespace {

// === formats: n values, whole blocks, from and to the bytes of a file ============================

template <class Value>
void decode_plain(const char* from, Index n, real* to) {
  if constexpr (std::is_same_v<Value, real>) {
    std::memcpy(to, from, unsigned_size(n) * sizeof(real));
  } else {
    for (Index i = 0; i < n; ++i)
      to[i] = static_cast<real>(load<Value>(from + i * Index{sizeof(Value)}));
  }
}

template <class Value>
void encode_plain(const real* from, Index n, char* to) {
  for (Index i = 0; i < n; ++i) {
    const Value value = static_cast<Value>(from[i]);
    std::memcpy(to + i * Index{sizeof value}, &value, sizeof value);
  }
}

template <float (*from_half)(std::uint16_t)>
void decode_half(const char* from, Index n, real* to) {
  for (Index i = 0; i < n; ++i) to[i] = from_half(load<std::uint16_t>(from + 2 * i));
}

// In a double build a value is rounded to float first.
template <std::uint16_t (*to_half)(float)>
void encode_half(const real* from, Index n, char* to) {
  for (Index i = 0; i < n; ++i) {
    const std::uint16_t half = to_half(static_cast<float>(from[i]));
    std::memcpy(to + 2 * i, &half, sizeof half);
  }
}

constexpr Index q8_values = 32, q8_bytes = 34;

void encode_q8_0(const real* from, Index n, char* to) {
  for (; n > 0; n -= q8_values, from += q8_values, to += q8_bytes) {
    float largest = 0;
    for (Index i = 0; i < q8_values; ++i)
      largest = std::max(largest, std::abs(static_cast<float>(from[i])));
    const float d = largest / 127;
    // A scale this small is 0 in float16, and its inverse could be infinite.
    const float inverse = d < std::numeric_limits<float>::min() ? 0 : 1 / d;
    const std::uint16_t half = to_float16(d);
    std::memcpy(to, &half, sizeof half);
    for (Index i = 0; i < q8_values; ++i)
      to[2 + i] = static_cast<char>(std::round(static_cast<float>(from[i]) * inverse));
  }
}

// === the table of all dtypes =====================================================================

struct Format : DtypeLayout {
  // Null: such values are not read, or not written.
  void (*decode)(const char* from, Index n, real* to) = nullptr;
  void (*encode)(const real* from, Index n, char* to) = nullptr;
  real largest = 0;  // the largest magnitude that encode does not round to infinity
};

// Below 65520, from where float16 rounds to infinity; bfloat16 from 0x7f7f8000.
constexpr float largest_f16 = 0x1.ffdffep15f, largest_bf16 = 0x1.fefffep127f;
constexpr float largest_f32 = std::numeric_limits<float>::max();
constexpr real largest_f64 = std::numeric_limits<real>::max();
constexpr float largest_q8 = 8321039.5f;  // divided by 127 below 65520

using enum Dtype;
constexpr Format formats[] = {
    {{f32, "F32", 1, 4, 0}, decode_plain<float>, encode_plain<float>, largest_f32},
    {{f64, "F64", 1, 8}, decode_plain<double>, encode_plain<double>, largest_f64},
    {{f16, "F16", 1, 2, 1}, decode_half<from_float16>, encode_half<to_float16>, largest_f16},
    {{bf16, "BF16", 1, 2, 30}, decode_half<from_bfloat16>, encode_half<to_bfloat16>, largest_bf16},
    {{q8_0, "Q8_0", q8_values, q8_bytes, 8}, nullptr, encode_q8_0, largest_q8},
    {{i64, "I64", 1, 8}},
    {{i32, "I32", 1, 4}},
    {{i16, "I16", 1, 2}},
    {{i8, "I8", 1, 1}},
    {{u64, "U64", 1, 8}},
    {{u32, "U32", 1, 4}},
    {{u16, "U16", 1, 2}},
    {{u8, "U8", 1, 1}},
    {{boolean, "BOOL", 1, 1}},
    {{f8_e4m3, "F8_E4M3", 1, 1}},
    {{f8_e5m2, "F8_E5M2", 1, 1}},
};
static_assert(std::size(formats) == dtype_count && engine::in_order(formats, &DtypeLayout::dtype));

const Format& format_of(Dtype dtype) { return formats[static_cast<std::size_t>(dtype)]; }

// Calls body(begin, n) for pieces of at most 4096 elements, on all threads. A piece (16 KiB of
// float) is still in L1 when it is looked at a second time.
template <class Body>
void in_pieces(Index count, Body body) {
  constexpr Index piece = 4096;  // a whole number of blocks of any dtype
  engine::parallel_for(engine::ceil_div(count, piece), 16, [&](Index begin, Index end) {
    for (Index i = begin * piece; i < std::min(end * piece, count); i += piece)
      body(i, std::min(piece, count - i));
  });
}

// Whether all magnitudes are at most `largest`; false for NaN.
bool all_within(const real* values, Index n, real largest) {
  int others = 0;
  for (Index i = 0; i < n; ++i) others += !(std::abs(values[i]) <= largest);
  return others == 0;
}

std::string bracketed(std::span<const Index> values, char open, char close) {
  std::string out(1, open);
  for (std::size_t i = 0; i < values.size(); ++i) out += joined(i > 0 ? ", " : "", values[i]);
  return out += close;
}

}  // namespace

const DtypeLayout& layout(Dtype dtype) { return format_of(dtype); }

Index TensorEntry::count() const {
  return std::ssize(data) / layout(dtype).bytes * layout(dtype).block;
}

TensorSet::TensorSet(std::vector<TensorEntry> entries)
    : entries_(std::move(entries)), names_(entries_.size()) {
  std::sort(entries_.begin(), entries_.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.data.data(), a.data.size()) < std::pair(b.data.data(), b.data.size());
  });
  const auto name_of = [&](std::uint32_t i) -> std::string_view { return entries_[i].name; };
  std::iota(names_.begin(), names_.end(), 0u);
  std::ranges::sort(names_, {}, name_of);
  const auto second = std::ranges::adjacent_find(names_, {}, name_of);
  check(second == names_.end(), "second ", titled(second == names_.end() ? "" : name_of(*second)));
}

const TensorEntry* TensorSet::find(std::string_view name) const {
  const auto name_of = [&](std::uint32_t i) -> std::string_view { return entries_[i].name; };
  const auto found = std::ranges::lower_bound(names_, name, {}, name_of);
  return found == names_.end() || name_of(*found) != name ? nullptr : &entries_[*found];
}

Index TensorSet::count() const {
  Index count = 0;
  for (const TensorEntry& entry : entries_) count += entry.count();
  return count;
}

std::optional<Index> bytes_of(std::string_view name, std::span<const Index> shape, Dtype dtype) {
  const DtypeLayout& unit = layout(dtype);
  const Index row = shape.empty() ? 1 : shape.back();
  check(row % unit.block == 0, titled(name), " of shape ", shape_text(shape), " in ", unit.name,
        " has rows of ", row, " elements, expected a multiple of ", unit.block);
  // A size of 0 makes the product 0, even where the other sizes would overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  Index bytes = unit.bytes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Index n = axis + 1 < shape.size() ? shape[axis] : row / unit.block;
    if (bytes > std::numeric_limits<Index>::max() / n) return std::nullopt;
    bytes *= n;
  }
  return bytes;
}

TensorEntry make_entry(std::string_view name, std::vector<Index> shape, Dtype dtype,
                       std::string_view data) {
  const std::optional<Index> bytes = bytes_of(name, shape, dtype);
  check(bytes == std::ssize(data), titled(name), " of shape ", shape_text(shape), " in ",
        layout(dtype).name, " takes ", bytes_text(bytes), " bytes, it has ", data.size());
  return {std::string(name), dtype, std::move(shape), data};
}

void copy_values(const TensorEntry& entry, std::span<real> values) {
  const Format& format = format_of(entry.dtype);
  check(format.decode != nullptr, titled(entry.name), " is ", format.name,
        ", expected F32, F64, F16 or BF16");
  check(std::ssize(values) == entry.count(), titled(entry.name), " has ", entry.count(),
        " values, expected ", values.size());
  in_pieces(entry.count(), [&](Index begin, Index n) {
    real* const to = values.data() + begin;
    format.decode(entry.data.data() + begin / format.block * format.bytes, n, to);
    if (engine::kernels::all_finite(n, to)) return;
    const real* const wrong =
        std::find_if(to, to + n, [](real value) { return !std::isfinite(value); });
    fail(titled(entry.name), ": element ", begin + (wrong - to), " is ", *wrong,
         ", expected a finite number");
  });
}

void encode(std::string_view name, Dtype dtype, std::span<const real> values,
            std::span<char> bytes) {
  const Format& format = format_of(dtype);
  check(format.encode != nullptr, titled(name), " is ", format.name,
        ", expected F32, F64, F16, BF16 or Q8_0");
  const Index count = std::ssize(values);
  check(count % format.block == 0, titled(name), " has ", count, " values, expected a multiple of ",
        format.block, " for ", format.name);
  check(std::ssize(bytes) == count / format.block * format.bytes, titled(name), " takes ",
        count / format.block * format.bytes, " bytes in ", format.name, ", there is room for ",
        bytes.size());
  in_pieces(count, [&](Index begin, Index n) {
    const real* const from = values.data() + begin;
    if (!all_within(from, n, format.largest)) {
      const real* const wrong = std::find_if(
          from, from + n, [&](real value) { return !(std::abs(value) <= format.largest); });
      fail(titled(name), ": element ", begin + (wrong - from), " is ", *wrong,
           ", expected a number that fits ", format.name);
    }
    format.encode(from, n, bytes.data() + begin / format.block * format.bytes);
  });
}

std::ostream& operator<<(std::ostream& out, TensorTitle title) {
  return out << "tensor " << in_quotes(title.tensor);
}
std::ostream& operator<<(std::ostream& out, BytesText text) {
  return text.bytes ? out << *text.bytes : out << "2^63 or more";
}
std::ostream& operator<<(std::ostream& out, ShapeText text) {
  return out << bracketed(text.shape, '(', ')');
}
std::string shape_json(std::span<const Index> shape) { return bracketed(shape, '[', ']'); }

}  // namespace model
