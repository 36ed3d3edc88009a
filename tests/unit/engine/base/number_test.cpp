#include "engine/base/number.h"

#include <cstdint>
#include <limits>
#include <string_view>

#include "tests/catch.h"

using engine::number_text;
using engine::parse_number;
using engine::Parsed;

namespace {

template <class Number>
Parsed parse(std::string_view text, Number expected) {
  Number value = 77;
  const Parsed parsed = parse_number(text, value);
  INFO(text);
  if (parsed == Parsed::ok) CHECK(value == expected);
  return parsed;
}

}  // namespace

TEST_CASE("number: integers whole, and never wrapped") {
  using Signed = std::int64_t;
  using Unsigned = std::uint64_t;
  CHECK(parse<Signed>("0", 0) == Parsed::ok);
  CHECK(parse<Signed>("-12", -12) == Parsed::ok);
  CHECK(parse<Signed>("9223372036854775807", std::numeric_limits<Signed>::max()) == Parsed::ok);
  CHECK(parse<Signed>("9223372036854775808", 0) == Parsed::out_of_range);
  CHECK(parse<Signed>("-9223372036854775809", 0) == Parsed::out_of_range);
  CHECK(parse<Unsigned>("18446744073709551615", ~Unsigned{0}) == Parsed::ok);
  CHECK(parse<Unsigned>("18446744073709551616", 0) == Parsed::out_of_range);
  CHECK(parse<Unsigned>("-1", 0) == Parsed::out_of_range);
  CHECK(parse<Unsigned>("-99999999999999999999", 0) == Parsed::out_of_range);
  CHECK(parse<Unsigned>("-0", 0) == Parsed::ok);
  for (const char* text :
       {"", "-", "+1", " 1", "1 ", "10x", "0x10", "1.0", "1e3", "--1", "99999999999999999999x"}) {
    CHECK(parse<Signed>(text, 0) == Parsed::malformed);
    CHECK(parse<Unsigned>(text, 0) == Parsed::malformed);
  }
}

TEST_CASE("number: decimals whole, finite, and back again") {
  CHECK(parse("0.1", 0.1) == Parsed::ok);
  CHECK(parse("-1e-3", -1e-3) == Parsed::ok);
  CHECK(parse("5.", 5.0) == Parsed::ok);
  CHECK(parse(".5", 0.5) == Parsed::ok);
  CHECK(parse("6E+2", 600.0) == Parsed::ok);
  CHECK(parse("0e9999", 0.0) == Parsed::ok);
  CHECK(parse("1.7976931348623157e308", std::numeric_limits<double>::max()) == Parsed::ok);
  CHECK(parse("4.9406564584124654e-324", std::numeric_limits<double>::denorm_min()) == Parsed::ok);
  CHECK(parse("1e400", 0.0) == Parsed::out_of_range);
  CHECK(parse("-1e400", 0.0) == Parsed::out_of_range);
  CHECK(parse("1e-400", 0.0) == Parsed::out_of_range);
  // Bytes after the end of a text do not belong to it.
  CHECK(parse(std::string_view("12").substr(0, 1), 1.0) == Parsed::ok);
  CHECK(parse(std::string_view("1.5").substr(0, 1), 1.0) == Parsed::ok);
  CHECK(parse(std::string_view("1e5").substr(0, 1), 1.0) == Parsed::ok);
  CHECK(parse(std::string_view("1.25").substr(0, 3), 1.2) == Parsed::ok);
  CHECK(parse(std::string_view("1e-12").substr(0, 4), 0.1) == Parsed::ok);
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1,5", "1.2.3", "nan", "inf", "-inf",
                           "infinity", "0x1p3", " 1", "1 ", "+1", "1f"})
    CHECK(parse(text, 0.0) == Parsed::malformed);
  for (const double value : {0.1, 1.0 / 3, 1e-5, 6e-4, 1e300, 5e-324, 123456789.0}) {
    double back = 0;
    REQUIRE(parse_number(number_text(value), back) == Parsed::ok);
    CHECK(back == value);
  }
  CHECK(number_text(0.1) == "0.1");
}
