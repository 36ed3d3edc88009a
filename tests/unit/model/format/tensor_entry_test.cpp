// Values converted from and to the formats of files: every float16 and bfloat16, floats at all
// edges against plain arithmetic in double, blocks of Q8_0 against a plain loop, and sizes on both sides
// of the pieces of 4096 in which values are converted and of the 16 pieces of a thread.
#include "model/format/tensor_entry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/format/float16.h"
#include "tests/catch.h"
#include "tests/unit/engine/scoped_threads.h"
#include "tests/unit/model/error.h"
#include "tests/unit/model/format/encoded.h"

using engine::Index;
using engine::real;
using model::copy_values;
using model::Dtype;
using model::TensorEntry;

namespace {

// The float16 or bfloat16 nearest to x, ties to even, by its definition: `fraction` bits after the
// leading one, down to multiples of 2^smallest.
double nearest(double x, int fraction, int smallest) {
  if (x == 0) return x;
  const double step = std::ldexp(1.0, std::max(std::ilogb(x) - fraction, smallest));
  return std::nearbyint(x / step) * step;  // ties to even
}

std::vector<float> interesting_floats() {
  std::vector<float> values;
  // Around every power of two: the middle between neighbors of float16 and bfloat16, and the
  // floats next to it.
  for (int exponent = -149; exponent < 128; ++exponent)
    for (int part = 0; part < 4096; part += 3) {
      const float x = std::ldexp(1 + static_cast<float>(part) / 4096, exponent);
      values.insert(values.end(), {x, -x, std::nextafter(x, 0.0f), std::nextafter(x, 1e38f)});
    }
  return values;
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// The values in the bytes. Those of Q8_0, which are not read, are scales times quotients.
std::vector<real> decoded(Dtype dtype, Index n, std::string_view bytes) {
  std::vector<real> values(static_cast<std::size_t>(n));
  if (dtype != Dtype::q8_0) {
    copy_values({"w", dtype, {n}, bytes}, values);
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const char* const block = bytes.data() + i / 32 * 34;
    std::uint16_t scale;
    std::memcpy(&scale, block, sizeof scale);
    values[i] = model::from_float16(scale) *
                static_cast<float>(static_cast<signed char>(block[2 + i % 32]));
  }
  return values;
}

// Numbers that all formats hold exactly, Q8_0 too: each block of 32 has a -127.
std::vector<real> easy_values(Index n) {
  std::vector<real> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i % 32 == 5 ? real(-127) : real(i * 7 % 61);
  return values;
}

}  // namespace

TEST_CASE("tensor entry: all 65,536 float16 and bfloat16 come back") {
  int wrong = 0;
  for (int bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = model::from_float16(half);
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude = exponent == 31  ? INFINITY
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31 && fraction != 0) {
      wrong += !std::isnan(value) || model::to_float16(value) != (half | 0x200);  // made quiet
    } else {
      wrong +=
          value != (bits & 0x8000 ? -magnitude : magnitude) || model::to_float16(value) != half;
    }

    const float upper = model::from_bfloat16(half);
    const std::uint32_t float_bits = static_cast<std::uint32_t>(bits) << 16;
    wrong += std::memcmp(&upper, &float_bits, 4) != 0;
    wrong += model::to_bfloat16(upper) != (std::isnan(upper) ? half | 0x40 : half);
  }
  CHECK(wrong == 0);
}

TEST_CASE("tensor entry: floats are rounded to the nearest float16 and bfloat16, ties to even") {
  int wrong = 0;
  for (const float x : interesting_floats()) {
    const double half = nearest(x, 10, -24), upper = nearest(x, 7, -133);
    const float as_half = std::abs(half) < 65536 ? float(half) : std::copysign(INFINITY, x);
    const float as_upper = std::abs(upper) < 0x1p128 ? float(upper) : std::copysign(INFINITY, x);
    wrong += !same_bits(model::from_float16(model::to_float16(x)), as_half);
    wrong += !same_bits(model::from_bfloat16(model::to_bfloat16(x)), as_upper);
  }
  CHECK(wrong == 0);
  CHECK(model::to_float16(65519.996f) == 0x7bff);
  CHECK(model::to_float16(65520.0f) == 0x7c00);
}

TEST_CASE("tensor entry: what does not fit a format is refused, and nothing else") {
  const auto is_taken = [](Dtype dtype, double value) {
    std::vector<real> values(64, 1);
    values[40] = static_cast<real>(value);
    return error_of([&] { encoded("w", dtype, values); }) == "accepted";
  };
  for (const Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16, Dtype::q8_0}) {
    INFO(model::layout(dtype).name);
    for (const double wrong : {double(INFINITY), -double(INFINITY), double(NAN)})
      CHECK_FALSE(is_taken(dtype, wrong));
    CHECK(is_taken(dtype, -65504));
  }
  CHECK(is_taken(Dtype::f32, 3.4e38));
  CHECK(is_taken(Dtype::q8_0, 8321039.5));
  CHECK_FALSE(is_taken(Dtype::q8_0, -8321040));
  // The limits are exact: what passes is finite when it is read back.
  for (const auto& [dtype, x] :
       {std::pair(Dtype::f16, 0x1.ffdffep15f), std::pair(Dtype::bf16, 0x1.fefffep127f)}) {
    CHECK(is_taken(dtype, x));
    CHECK_FALSE(is_taken(dtype, std::nextafter(x, INFINITY)));
    CHECK(std::isfinite(decoded(dtype, 1, encoded("w", dtype, std::vector<real>{x}))[0]));
  }
  const std::vector<real> large(32, real(8321039.5));
  CHECK(decoded(Dtype::q8_0, 32, encoded("w", Dtype::q8_0, large))[31] == 65504 * real(127));
}

TEST_CASE("tensor entry: a dtype that is not read is counted, not converted") {
  std::vector<real> values(64);
  const std::string blocks(68, '\0');
  const TensorEntry rounded{"w", Dtype::q8_0, {64}, blocks};
  CHECK(rounded.count() == 64);
  CHECK_THROWS_WITH(copy_values(rounded, values), Catch::StartsWith("tensor \"w\" is Q8_0"));
  CHECK_THROWS_WITH(encoded("w", Dtype::i64, values), Catch::StartsWith("tensor \"w\" is I64"));
}

TEST_CASE("tensor entry: shapes, blocks and bytes must agree") {
  using model::bytes_of;
  using Shape = std::vector<Index>;
  constexpr Index huge = std::numeric_limits<Index>::max();
  CHECK(bytes_of("w", Shape{}, Dtype::f32) == 4);
  CHECK(bytes_of("w", Shape{3, 64}, Dtype::q8_0) == 3 * 68);
  CHECK(bytes_of("w", Shape{huge, 0, huge}, Dtype::f64) == 0);
  CHECK(bytes_of("w", Shape{huge / 2}, Dtype::f16) == huge - 1);
  CHECK(bytes_of("w", Shape{huge / 2 + 1}, Dtype::f16) == std::nullopt);
  CHECK(bytes_of("w", Shape{1 << 30, 1 << 30, 4}, Dtype::f32) == std::nullopt);
  CHECK_THROWS_WITH(bytes_of("w", Shape{32, 33}, Dtype::q8_0), Catch::Contains("rows of 33"));
  CHECK_THROWS_WITH(bytes_of("w", Shape{}, Dtype::q8_0), Catch::Contains("rows of 1 "));
  CHECK_THROWS_WITH(model::make_entry("w", {huge, 2}, Dtype::f16, "x"),
                    "tensor \"w\" of shape (9223372036854775807, 2) in F16 takes 2^63 or more "
                    "bytes, it has 1");

  std::vector<real> values(33);
  CHECK_THROWS_WITH(encoded("w", Dtype::q8_0, values), Catch::Contains("a multiple of 32"));
  std::string bytes(65, 'x');
  CHECK_THROWS_WITH(model::encode("w", Dtype::f16, values, bytes),
                    "tensor \"w\" takes 66 bytes in F16, there is room for 65");
  CHECK_THROWS_WITH(copy_values({"w", Dtype::f16, {32}, std::string(64, '\0')}, values),
                    "tensor \"w\" has 32 values, expected 33");
}

TEST_CASE("tensor entry: Q8_0 is a scale and 32 rounded quotients") {
  std::vector<real> values(32 * 400);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    state = state * 1664525 + 1013904223;
    const int block = static_cast<int>(i / 32);
    values[i] = static_cast<real>(
        std::ldexp(static_cast<float>(static_cast<std::int32_t>(state)), block - 246));
  }
  for (std::size_t i = 32; i < 64; ++i) values[i] = 0;
  values[64 + 3] = 127;  // a scale of 1: ties
  for (int i = 4; i < 32; ++i) values[std::size_t(64 + i)] = real(i - 16) + real(0.5);
  for (std::size_t i = 32 * 238; i < values.size(); ++i) values[i] = real(i % 32) / 8;
  const std::string bytes = encoded("w", Dtype::q8_0, values);
  REQUIRE(bytes.size() == 34 * 400);

  int wrong = 0;
  for (std::size_t block = 0; block < 400; ++block) {
    float largest = 0;
    for (std::size_t i = 0; i < 32; ++i)
      largest = std::fmax(largest, std::fabs(float(values[32 * block + i])));
    const float d = largest / 127, inverse = d != 0 ? 1 / d : 0;
    std::uint16_t half;
    std::memcpy(&half, bytes.data() + 34 * block, 2);
    wrong += half != model::to_float16(d);
    for (std::size_t i = 0; i < 32; ++i) {
      const float q = static_cast<signed char>(bytes[34 * block + 2 + i]);
      // A scale that is 0 in float16 has quotients 0 too: its inverse would be too large.
      wrong += q != (d < 0x1p-126f ? 0 : std::roundf(float(values[32 * block + i]) * inverse));
    }
  }
  CHECK(wrong == 0);
  const auto tie = [&](std::size_t i) { return static_cast<signed char>(bytes[34 * 2 + 2 + i]); };
  CHECK(tie(18) == 3);  // 2.5
  CHECK(tie(13) == -3);
}

TEST_CASE("tensor entry: values of any number are converted both ways, by any threads") {
  for (const int threads : {1, 2})
    for (const Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::f16, Dtype::bf16, Dtype::q8_0})
      for (Index n : {1, 4095, 4096, 4097, 8192, 65535, 65536, 65537, 150'000}) {
        if (dtype == Dtype::q8_0) n = (n + 31) / 32 * 32;
        const ScopedThreads scoped(threads);
        INFO(threads << " threads, " << n << " values of " << model::layout(dtype).name);
        std::vector<real> values = easy_values(n);
        const std::string bytes = "-" + encoded("w", dtype, values);  // at an odd address
        const std::string_view view = std::string_view(bytes).substr(1);
        CHECK((decoded(dtype, n, view) == values));
        for (const Index at : {Index(0), n / 2, n - 1}) {
          const real good = std::exchange(values[std::size_t(at)], real(INFINITY));
          CHECK_THROWS_WITH(
              encoded("w", dtype, values),
              Catch::StartsWith(engine::joined("tensor \"w\": element ", at, " is inf")));
          values[std::size_t(at)] = good;
        }
      }
}

TEST_CASE("tensor entry: a value that is not finite is named") {
  const Index n = 70'016;
  const std::vector<real> values = easy_values(n);
  // `wrong` in the place of an element.
  const auto check = [&](Dtype dtype, Index at, auto wrong, std::string_view is) {
    std::string bytes = encoded("w", dtype, values);
    std::memcpy(bytes.data() + at * std::ssize(bytes) / n, &wrong, sizeof wrong);
    std::vector<real> copied(values.size());
    CHECK_THROWS_WITH(copy_values({"w", dtype, {n}, bytes}, copied),
                      Catch::StartsWith(engine::joined("tensor \"w\": element ", at, " is ", is)));
  };
  for (const Index at : {Index(0), n / 2, n - 1}) {
    check(Dtype::f32, at, float(INFINITY), "inf,");
    check(Dtype::f64, at, double(INFINITY), "inf,");
    check(Dtype::f16, at, std::uint16_t{0x7c00}, "inf,");
    check(Dtype::bf16, at, std::uint16_t{0x7f80}, "inf,");
  }
  check(Dtype::f16, 5, std::uint16_t{0x7e01}, "");  // NaN
  check(Dtype::f16, 5, std::uint16_t{0xfc00}, "-inf,");
}
