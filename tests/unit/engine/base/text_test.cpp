#include "engine/base/text.h"

#include <new>

#include "tests/catch.h"

using namespace engine;

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

TEST_CASE("text: backslashes stand for bytes, or are errors") {
  CHECK(engine::unescaped("a<|b|> 'é'") == "a<|b|> 'é'");
  CHECK(engine::unescaped(R"(\n\t\r\"\\)") == "\n\t\r\"\\");
  CHECK(engine::unescaped(R"(\x0a\xff0)") ==
        "\n\xff"
        "0");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte)), quoted = engine::in_quotes(one);
    CHECK(engine::unescaped(quoted.substr(1, quoted.size() - 2)) == one);
  }
  for (const char* wrong : {"\\", "a\\", "\\d", "\\x", "\\x1", "\\xg0", "\\x0G", "\\N"})
    CHECK_THROWS_WITH(engine::unescaped(wrong), Catch::StartsWith("the backslash of "));
}

TEST_CASE("text: numbers for people") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1000) == "1,000");
  CHECK(count_text(1'234'567) == "1,234,567");
  CHECK(counted(1, "layer") == "1 layer");
  CHECK(counted(0, "token") == "0 tokens");
  CHECK(counted(12'000, "token") == "12,000 tokens");
  CHECK(short_text(0.003 / 10) == "0.0003");
  CHECK(short_text(2e-4) == "0.0002");
  CHECK(short_text(2e-5) == "2e-5");
  CHECK(short_text(1e-10) == "1e-10");
  CHECK(short_text(0.99) == "0.99");
  CHECK(fixed_text(1.23456, 4) == "1.2346");
  CHECK(fixed_text(-1e308, 2).size() == 313);
  CHECK(duration_text(99.4) == "99 s");
  CHECK(duration_text(100) == "1 min 40 s");
  CHECK(duration_text(3599.4) == "59 min 59 s");
  CHECK(duration_text(3599.5) == "1 h 0 min");
  CHECK(duration_text(7265) == "2 h 1 min");
  CHECK(hex(0xABC, 4) == "0abc");
}
