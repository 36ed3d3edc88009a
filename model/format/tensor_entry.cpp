#include "model/format/tensor_entry.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/text.h"
#include "engine/base/thread_pool.h"
#include "engine/kernels/reduce.h"
#include "model/format/half.h"

namespace model {

using engine::check;
using engine::fail;
using engine::in_quotes;
using engine::real;
using engine::unsigned_size;

namespace {

constexpr NumberFormat formats[] = {{"F32", 1, 4},    {"F64", 1, 8}, {"F16", 1, 2}, {"BF16", 1, 2},
                                    {"Q8_0", 32, 34}, {"I64", 1, 8}, {"I32", 1, 4}, {"I16", 1, 2},
                                    {"I8", 1, 1},     {"U64", 1, 8}, {"U32", 1, 4}, {"U16", 1, 2},
                                    {"U8", 1, 1},     {"BOOL", 1, 1}};

constexpr Index block = 32;  // of q8_0
constexpr Index block_bytes = 2 + block;

template <class Value>
Value read(const char* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Decodes n elements from element `begin` of the data on, a multiple of a block. One for each dtype.
using Decode = void (*)(const char* data, Index begin, Index n, real* to);

template <class Value>
void copy(const char* data, Index begin, Index n, real* to) {
  const char* const from = data + begin * static_cast<Index>(sizeof(Value));
  if constexpr (std::is_same_v<Value, real>) {
    std::memcpy(to, from, unsigned_size(n) * sizeof(Value));
  } else {
    for (Index i = 0; i < n; ++i)
      to[i] = static_cast<real>(read<Value>(from + i * static_cast<Index>(sizeof(Value))));
  }
}

template <float convert(std::uint16_t)>
void widen(const char* data, Index begin, Index n, real* to) {
  for (Index i = 0; i < n; ++i) to[i] = convert(read<std::uint16_t>(data + 2 * (begin + i)));
}

void from_blocks(const char* data, Index begin, Index n, real* to) {
  const char* from = data + begin / block * block_bytes;
  for (Index i = 0; i < n; i += block, from += block_bytes) {
    const float d = from_half(read<std::uint16_t>(from));
    for (Index k = 0; k < block; ++k) to[i + k] = d * static_cast<signed char>(from[2 + k]);
  }
}

Decode decoder_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32: return copy<float>;
    case Dtype::f64: return copy<double>;
    case Dtype::f16: return widen<from_half>;
    case Dtype::bf16: return widen<from_bfloat16>;
    case Dtype::q8_0: return from_blocks;
    default: return nullptr;
  }
}

template <class Convert>
void narrow(std::span<const real> values, char* to, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = convert(static_cast<float>(values[i]));
    std::memcpy(to + 2 * i, &half, 2);
  }
}

// d = max |x| / 127, so that the largest is 127 d.
void to_blocks(std::span<const real> values, char* to) {
  for (std::size_t i = 0; i < values.size(); i += block, to += block_bytes) {
    float largest = 0;
    for (std::size_t k = 0; k < block; ++k)
      largest = std::max(largest, std::abs(static_cast<float>(values[i + k])));
    const float d = largest / 127, inverse = d > 0 ? 1 / d : 0;
    const std::uint16_t scale = to_half(d);
    std::memcpy(to, &scale, 2);
    for (std::size_t k = 0; k < block; ++k)
      to[2 + k] = static_cast<char>(std::round(static_cast<float>(values[i + k]) * inverse));
  }
}

}  // namespace

const NumberFormat& format_of(Dtype dtype) { return formats[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> dtype_named(std::string_view name) {
  const auto found = std::ranges::find(formats, name, &NumberFormat::name);
  if (found == std::end(formats)) return {};
  return static_cast<Dtype>(found - std::begin(formats));
}

std::optional<std::int64_t> bytes_of(std::span<const Index> shape, Dtype dtype) {
  const auto [name, count, bytes] = format_of(dtype);
  if (count > 1 && (shape.empty() || shape.back() % count != 0)) return std::nullopt;
  // A size of 0 makes the product 0, even where the other sizes would overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t product = bytes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Index n = axis + 1 == shape.size() ? shape[axis] / count : shape[axis];
    if (product > std::numeric_limits<std::int64_t>::max() / n) return std::nullopt;
    product *= n;
  }
  return product;
}

Index TensorEntry::count() const {
  const auto [type, count, bytes] = format_of(dtype);
  return std::ssize(data) / bytes * count;
}

// All threads copy, in pieces of 4096 elements (16 KiB of float): a piece is checked while it is
// still in L1.
void copy_values(const TensorEntry& entry, std::span<real> values) {
  constexpr Index piece = 4096;
  const Index count = entry.count();
  check(std::ssize(values) == count, "tensor ", in_quotes(entry.name), " has ", count,
        " values, expected ", values.size());
  const Decode decode = decoder_of(entry.dtype);
  check(decode != nullptr, "tensor ", in_quotes(entry.name), " is ", format_of(entry.dtype).name,
        ", expected F32, F64, F16, BF16 or Q8_0");
  engine::parallel_for(engine::ceil_div(count, piece), 16, [&](Index begin, Index end) {
    for (Index i = begin * piece; i < std::min(end * piece, count); i += piece) {
      const Index n = std::min(piece, count - i);
      real* const to = values.data() + i;
      decode(entry.data.data(), i, n, to);
      if (engine::kernels::all_finite(n, to)) continue;
      const real* const wrong =
          std::find_if(to, to + n, [](real value) { return !std::isfinite(value); });
      fail("tensor ", in_quotes(entry.name), ": element ", i + (wrong - to), " is ", *wrong,
           ", expected a finite number");
    }
  });
}

engine::FileBytes stored(Dtype dtype, std::span<const real> values, std::string_view tensor) {
  const Index shape[] = {std::ssize(values)};
  engine::FileBytes bytes;
  bytes.resize(unsigned_size(bytes_of(shape, dtype).value()));
  if (dtype == Dtype::q8_0) {
    to_blocks(values, bytes.data());
  } else if (dtype == Dtype::bf16) {
    narrow(values, bytes.data(), to_bfloat16);
  } else if (dtype == Dtype::f32) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<float>(values[i]);
      std::memcpy(bytes.data() + 4 * i, &value, 4);
    }
  } else {
    narrow(values, bytes.data(), to_half);
  }
  // The largest scale of q8_0, or value of f16, that is not infinite.
  const real most = dtype == Dtype::q8_0  ? real(65519) * 127
                    : dtype == Dtype::f16 ? real(65519)
                                          : std::numeric_limits<real>::max();
  for (std::size_t i = 0; i < values.size(); ++i)
    check(std::abs(values[i]) <= most, "tensor ", in_quotes(tensor), ": element ", i, " is ",
          values[i], ", which does not fit ", format_of(dtype).name);
  return bytes;
}

std::string shape_text(std::span<const Index> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += engine::joined(i > 0 ? ", " : "", shape[i]);
  return text += ')';
}

}  // namespace model
