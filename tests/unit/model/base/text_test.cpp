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
  using Texts = std::vector<std::string>;
  const auto counts = [](const std::vector<Index>& values) {
    Texts texts;
    for (const Index value : values) texts.push_back(count_text(value));
    return texts;
  };
  CHECK(counts({0, 999, 1000, -1000, 999'999, 1'234'567, 99'999'999}) ==
        Texts{"0", "999", "1,000", "-1,000", "999,999", "1,234,567", "99,999,999"});
  CHECK(joined(counted(1, "layer"), ", ", counted(12'000, "token")) == "1 layer, 12,000 tokens");
  CHECK(std::string(counted(0, "token")) == "0 tokens");
  CHECK(joined(counted(1, "axis", "axes"), ", ", counted(2, "axis", "axes")) == "1 axis, 2 axes");
  const auto texts = [](std::string (*text_of)(double), const std::vector<double>& values) {
    Texts all;
    for (const double value : values) all.push_back(text_of(value));
    return all;
  };
  CHECK(texts(short_text, {0, 1e-10, 2e-5, 0.0000999, 0.0001, 2e-4, 0.003 / 10, 0.99}) ==
        Texts{"0", "1e-10", "2e-5", "9.99e-5", "0.0001", "0.0002", "0.0003", "0.99"});
  CHECK(texts(short_text, {999'999, 1e6, 12'345'678, 1e100}) ==
        Texts{"999999", "1e+6", "1.23457e+7", "1e+100"});
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

TEST_CASE("text: what cannot be seen, or turns the direction of writing, is escaped") {
  const auto utf8 = [](char32_t value) {
    std::string text;
    append_utf8(text, value);
    return text;
  };
  for (const char32_t hidden : std::initializer_list<char32_t>{
           0x61C, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C,
           0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0xFEFF, 0x9B}) {
    INFO(code_point_name(hidden));
    const std::string text = "my" + utf8(hidden) + "txt.exe";
    const bool joiner = hidden == 0x200C || hidden == 0x200D;
    for (const std::string& shown :
         {printable(text), std::string(in_quotes(text)), printable_lines(text)})
      CHECK((shown.find(utf8(hidden)) != std::string::npos) ==
            (joiner && shown == printable_lines(text)));
  }
  CHECK(printable("a\u202Eb") == "a\\xe2\\x80\\xaeb");
  CHECK(printable_lines("\u202E\n\t\uFEFF") == "\\xe2\\x80\\xae\n\t\\xef\\xbb\\xbf");
  for (const char32_t seen : std::initializer_list<char32_t>{0x61B, 0xA0, 0x200A, 0x2010, 0x2027,
                                                             0x202F, 0x2065, 0x206A, 0x1F600})
    CHECK(printable(utf8(seen)) == utf8(seen));
}
