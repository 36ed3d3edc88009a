#include "engine/base/text.h"

#include <cmath>
#include <limits>
#include <new>
#include <sstream>

#include "model/base/text.h"
#include "model/base/utf8.h"
#include "tests/catch.h"

using namespace engine;
using namespace model;

namespace {

// Written as the library writes numbers: an exception of the buffer ends in badbit.
struct NoMemory : std::streambuf {
  int_type overflow(int_type) override { throw std::bad_alloc(); }
};
struct Unwritable {};
std::ostream& operator<<(std::ostream& out, Unwritable) {
  NoMemory full;
  std::streambuf* const buffer = out.rdbuf();
  static_cast<std::ios&>(out).rdbuf(&full);
  try {
    out << 5;
  } catch (...) {
    static_cast<std::ios&>(out).rdbuf(buffer);
    throw;
  }
  const auto state = out.rdstate();
  static_cast<std::ios&>(out).rdbuf(buffer);
  out.setstate(state);
  return out;
}

}  // namespace

TEST_CASE("text: a part that finds no memory is an error, not left out") {
  CHECK_THROWS_AS(joined("a ", Unwritable{}, "b"), std::bad_alloc);
}

TEST_CASE("text: numbers for people") {
  CHECK(joined(counted(1, "layer"), ", ", counted(12'000, "token")) == "1 layer, 12,000 tokens");
  CHECK(std::string(counted(0, "token")) == "0 tokens");
  CHECK(joined(counted(1, "axis", "axes"), ", ", counted(2, "axis", "axes")) == "1 axis, 2 axes");
  std::string all;
  for (const double value : {0.0, 1e-10, 0.0000999, 0.003 / 10, 999'999.0, 12'345'678.0, 1e100})
    all += short_text(value) + ' ';
  CHECK(all == "0 1e-10 9.99e-5 0.0003 999999 1.23457e+7 1e+100 ");
  CHECK(fixed_text(0.00005, 4) == "0.0001");  // 0.00005 is a little more in binary
  CHECK(fixed_text(12'345'678, 0) == "12345678");
  CHECK(fixed_text(1.23456, 4) == "1.2346");
  CHECK(fixed_text(-1e308, 2).size() == 313);
  CHECK(hex(0xABC, 4) == "0abc");
}

TEST_CASE("text: numbers for people, all of them up to some size, by their definitions") {
  // From the right a comma before each third digit.
  for (Index value = -1'234'567; value < 12'345'678; value += value < 2'000 ? 997 : 9'973) {
    std::string digits = std::to_string(std::abs(value));
    for (std::size_t at = digits.size(); at > 3; digits.insert(at, ",")) at -= 3;
    if (value < 0) digits.insert(0, "-");
    if (count_text(value) != digits) CHECK(count_text(value) == digits);
  }
  // Six digits that count; whatever the exponent, without zeros before it.
  for (int exponent = -12; exponent <= 12; ++exponent)
    for (const double digits : {1.0, 1.5, 1.23456, 9.99999, 9.999999}) {
      const double value = digits * std::pow(10, exponent);
      INFO(value);
      std::istringstream in(short_text(value));
      double read = 0;
      in >> read;
      CHECK(read == Approx(value).epsilon(5e-6));
      CHECK(short_text(value).find("e-0") == std::string::npos);
      CHECK(short_text(value).find("e+0") == std::string::npos);
      CHECK((short_text(value).find('e') == std::string::npos) ==
            (read >= 0.0001 && read < 999'999.5));
    }
}

TEST_CASE("text: a number that is none has no sign") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), negative = std::copysign(nan, -1.0);
  CHECK(joined(nan, ' ', negative, ' ', static_cast<float>(negative)) == "nan nan nan");
  CHECK(fixed_text(negative, 4) == "nan");
  CHECK(short_text(negative) == "nan");
  CHECK(joined(-1.5, ' ', -HUGE_VAL) == "-1.5 -inf");
}
